# Copyright 2026 mem_vla_ros contributors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""Faults of the model, the senders and the cameras in the whole graph, one launch for all."""

import os
from pathlib import Path
import signal
import tempfile
import unittest

from diagnostic_msgs.msg import DiagnosticArray
from launch import LaunchDescription
from launch_testing.actions import ReadyToTest
import numpy as np
import pytest
from support.command_audit import assert_all_safe
from support.demo_launch import include_demo
from support.graph_watcher import GraphWatcher
from support.messages import HOME, JOINT_NAMES
from support.processes import pids_of
from trajectory_msgs.msg import JointTrajectory

from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.ros.conversions import chunk_to_message
from mem_vla_ros.ros.qos import EVENT, NEWEST

PARAMETERS = '''
/**/low_level_policy:
  ros__parameters:
    scripted_fault: 'raise@4;nan@8;slow@12;jump@16'
'''


@pytest.mark.system
@pytest.mark.launch_test
def generate_test_description():
    path = Path(tempfile.mkdtemp()) / 'parameters.yaml'
    path.write_text(PARAMETERS)
    return LaunchDescription([
        include_demo(seed='12', inspector='false', params_file=str(path)), ReadyToTest()])


class TestFaultsInTheGraph(unittest.TestCase):
    """The faults come one after the other; the loop goes on after each."""

    def says(self, node, text):
        return any(
            text in f'{item.key} {item.value}'
            for array in self.watcher.received['/diagnostics'] for status in array.status
            if status.name == f'/{node}' for item in [*status.values, _Message(status.message)])

    def setUp(self):
        self.watcher = self.enterContext(GraphWatcher())
        self.watcher.listen('joint_command', JointTrajectory, NEWEST)
        self.watcher.listen('/diagnostics', DiagnosticArray, EVENT)

    def test_1_model_exception_nan_or_jumping_action_and_model_too_slow_move_nothing_unsafe(
            self):
        wait_for = self.watcher.wait_for
        for status in ('failed', 'non_finite_action', 'late'):
            self.assertTrue(wait_for(lambda wanted=status: any(
                state.status == wanted for state in self.watcher.low_level)), status)
        self.assertTrue(wait_for(lambda: self.says('action_executor', 'jumping_action')))
        good = len(self.watcher.low_level)
        self.assertTrue(wait_for(lambda: len(self.watcher.low_level) > good + 3))
        self.assertEqual(self.watcher.low_level[-1].status, 'ok')
        assert_all_safe(self.watcher.received['joint_command'])

    def test_3_second_publisher_is_not_heard_and_is_a_fault(self):
        self.assertTrue(self.watcher.wait_for(lambda: self.watcher.low_level))
        rogue = self.watcher.node.create_publisher(JointTrajectory, 'action_chunk', NEWEST)
        self.assertTrue(self.watcher.wait_for(rogue.get_subscription_count))
        stamp = self.watcher.low_level[-1].stamp
        rogue.publish(chunk_to_message(ActionChunk(
            JOINT_NAMES, stamp, 0.1, np.tile(HOME, (16, 1)), 'rogue', 'other', 0)))
        self.assertTrue(self.watcher.wait_for(
            lambda: self.says('action_executor', 'FAULT second_session')))
        assert_all_safe(self.watcher.received['joint_command'])

    def test_2_camera_drop_out_holds_and_resumes_alone(self):
        self.assertTrue(self.watcher.wait_for(lambda: self.watcher.low_level))
        world, = pids_of('sim_world')
        os.kill(world, signal.SIGSTOP)
        try:
            self.assertTrue(self.watcher.wait_for(
                lambda: self.says('low_level_policy', 'base_age')))
        finally:
            os.kill(world, signal.SIGCONT)
        before = len(self.watcher.low_level)
        self.assertTrue(self.watcher.wait_for(
            lambda: len(self.watcher.low_level) > before + 3))
        self.assertEqual(self.watcher.low_level[-1].status, 'ok')
        assert_all_safe(self.watcher.received['joint_command'])


class _Message:
    """The message of a status, as one more value."""

    def __init__(self, text):
        self.key = 'message'
        self.value = text
