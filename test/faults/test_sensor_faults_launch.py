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
"""Faults of cameras, joint states and clock, one after the other in one graph of processes."""

import math
import os
from pathlib import Path
import sys
import unittest

from launch import LaunchDescription
from launch.actions import ExecuteProcess
from launch_ros.actions import Node
from launch_testing.actions import ReadyToTest
import pytest
from std_msgs.msg import Header
from support.command_audit import assert_all_safe
from support.fake_robot import FakeRobot
from support.messages import HOME, JOINT_NAMES
from support.node_graph import NodeGraph, ROBOT_FILE, wait_for

from mem_vla_ros.ros.conversions import stamp_from_seconds

SUPPORT = Path(__file__).parents[1] / 'support'
# Longer than a loaded machine needs; conditions come true within a second or two.
PATIENCE_S = 60.0


@pytest.mark.system
@pytest.mark.launch_test
def generate_test_description():
    path = os.pathsep.join([str(SUPPORT.parent), os.environ.get('PYTHONPATH', '')])
    return LaunchDescription([
        Node(package='mem_vla_ros', executable='action_executor',
             parameters=[{'use_sim_time': True, 'robot_file': ROBOT_FILE}]),
        ExecuteProcess(
            cmd=[sys.executable, str(SUPPORT / 'turning_low_level.py'), '--ros-args',
                 '-p', 'use_sim_time:=true', '-p', f'robot_file:={ROBOT_FILE}'],
            additional_env={'PYTHONPATH': path}),
        ReadyToTest()])


class TestSensorFaults(unittest.TestCase):
    """The arm moves, a fault comes and goes, the arm moves again."""

    @classmethod
    def setUpClass(cls):
        cls.graph = NodeGraph()
        cls.addClassCleanup(cls.graph.close)
        cls.robot = cls.enterClassContext(FakeRobot(cls.graph, simulated_time=True))

    def setUp(self):
        self.waits_for(lambda: self.graph.probe.count_subscribers('subtask'), 'a low level')
        self.robot.tell_subtask()
        self.waits_for(lambda: self.robot.moves, 'the arm to move')

    def waits_for(self, condition, what):
        self.assertTrue(wait_for(condition, PATIENCE_S), f'waited in vain for {what}')

    def hears(self, node, text):
        self.waits_for(lambda: self.graph.says(node, text), f'{node} to say {text!r}')

    def holds(self, node, cause):
        """Wait until a node holds for this cause, whatever others it has."""
        self.waits_for(
            lambda: any(status.message.startswith('HOLD') and cause in status.message
                        for status in self.graph.diagnostics(node)),
            f'{node} to hold for {cause}')

    def rests_and_goes_on(self, **healed):
        """Check that the arm stands while the fault lasts, and moves by itself after it."""
        self.waits_for(lambda: not self.robot.moves, 'the arm to rest')
        for name, value in healed.items():
            setattr(self.robot, name, value)
        self.waits_for(lambda: self.robot.moves, 'the arm to move again')
        assert_all_safe(list(self.robot.commands))
        self.graph.received['/diagnostics'].clear()

    def test_wrong_encoding_wrong_size_and_truncated_data_hold_until_images_are_good(self):
        for changes, word in (
                ({'encoding': '32FC1'}, 'wrong_encoding base'),
                ({'height': 1, 'width': 1, 'step': 3, 'data': b'abc'}, 'size base'),
                ({'height': 0, 'width': 0, 'step': 0, 'data': b''}, 'size base'),
                ({'step': 7}, 'image base'),
                ({'data': b'cut'}, 'truncated_image base')):
            self.robot.image_changes = changes
            self.hears('low_level_policy', word)
            self.holds('low_level_policy', 'base_age')
            self.rests_and_goes_on(image_changes={})

    def test_stale_or_future_stamp_or_a_frozen_one_holds_until_stamps_are_good(self):
        for offset, word in ((-2.0, 'stale_image base'), (1.0, 'future_image base')):
            self.robot.stamp_offset = offset
            self.hears('low_level_policy', word)
            self.holds('low_level_policy', 'base_age')
            self.rests_and_goes_on(stamp_offset=0.0)
        frozen = Header(stamp=stamp_from_seconds(self.robot.now()))
        self.robot.image_changes = {'header': frozen}
        self.holds('low_level_policy', 'base_age')
        self.rests_and_goes_on(image_changes={})

    def test_nan_inf_joint_states_and_missing_joints_hold_until_joints_are_good(self):
        for changes, word in (
                ({'position': [math.nan, *HOME[1:]]}, "not finite: ['joint_1']"),
                ({'name': list(JOINT_NAMES[:-1]), 'position': list(HOME[:-1])},
                 "missing ['gripper']")):
            self.robot.joints_changes = changes
            self.hears('action_executor', word)
            self.holds('action_executor', 'joint_states_age')
            self.rests_and_goes_on(joints_changes={})

    def test_clock_jump_bag_loop_ends_the_episode_and_the_loop_goes_on(self):
        self.robot.set_clock(500.0)
        self.hears('low_level_policy', 'clock_jumped')
        self.robot.commands.clear()
        self.waits_for(lambda: self.robot.moves, 'the arm to move again')
        self.assertTrue(all(
            command.header.stamp.sec < 900 for command in list(self.robot.commands)[1:]))
        assert_all_safe(list(self.robot.commands))
