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
"""Rows of the fault matrix about processes that die or stand still, in the whole graph."""

import os
import signal
import tempfile
import time
import unittest

from launch import LaunchDescription
from launch_testing.actions import ReadyToTest
import numpy as np
import pytest
import rclpy
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from support.command_audit import assert_all_safe
from support.demo_launch import include_demo
from support.graph_watcher import GraphWatcher
from support.processes import pids_of
from trajectory_msgs.msg import JointTrajectory

from mem_vla_ros.ros.conversions import seconds_from_stamp
from mem_vla_ros.ros.qos import LATCHED, NEWEST, SENSOR

FROZEN_S = 2.5
FLOOD_S = 2.0


@pytest.mark.system
@pytest.mark.launch_test
def generate_test_description():
    return LaunchDescription([
        include_demo(seed='11', journal=tempfile.mkdtemp(), inspector='false'), ReadyToTest()])


class TestKilledProcesses(unittest.TestCase):
    """Kills or freezes one process after the other while the arm moves."""

    def setUp(self):
        self.watcher = self.enterContext(GraphWatcher())
        self.watcher.listen('joint_command', JointTrajectory, NEWEST)
        self.watcher.listen('joint_states', JointState, SENSOR)
        self.watcher.listen('gate_state', String, LATCHED)
        for node in ('sim_world', 'high_level_policy', 'action_executor'):
            self.watcher.call(Trigger, f'{node}/reset', Trigger.Request())
        self.assertTrue(self.watcher.wait_for(self.moves), 'the arm does not move')

    def test_ll_killed_lets_the_executor_hold_until_a_new_session(self):
        self.assertTrue(self.watcher.wait_for(lambda: self.watcher.low_level))
        session = self.watcher.low_level[-1].session
        self.send_signal('low_level_policy', signal.SIGKILL)
        self.assertTrue(self.watcher.wait_for(lambda: self.gate_says('HOLD', 'chunk_age')))
        self.assertTrue(self.watcher.wait_for(lambda: not self.moves()))
        self.assertTrue(self.watcher.wait_for(
            lambda: self.watcher.low_level[-1].session != session))
        self.assertTrue(self.watcher.wait_for(self.moves))
        assert_all_safe(self.watcher.received['joint_command'])

    def test_executor_killed_leaves_the_arm_at_rest_until_it_is_back(self):
        self.send_signal('action_executor', signal.SIGKILL)
        self.assertTrue(self.watcher.wait_for(self.stands_after_the_last_command))
        before = len(self.watcher.received['joint_command'])
        self.assertTrue(self.watcher.wait_for(
            lambda: len(self.watcher.received['joint_command']) > before and self.moves()))
        assert_all_safe(self.watcher.received['joint_command'])

    def test_hl_killed_9_mid_episode_comes_back_in_the_same_episode(self):
        self.assertTrue(self.watcher.wait_for(
            lambda: self.watcher.high_level and self.watcher.high_level[-1].status == 'ok'))
        before = self.watcher.high_level[-1]
        self.send_signal('high_level_policy', signal.SIGKILL)
        chunks = len(self.watcher.low_level)
        self.assertTrue(self.watcher.wait_for(
            lambda: any(state.status == 'restored' for state in self.watcher.high_level)))
        self.assertGreater(len(self.watcher.low_level), chunks)
        restored = [s for s in self.watcher.high_level if s.status == 'restored'][-1]
        self.assertEqual(restored.episode, before.episode)
        assert_all_safe(self.watcher.received['joint_command'])

    def test_dds_partition_of_the_low_level_holds_and_heals(self):
        self.send_signal('low_level_policy', signal.SIGSTOP)
        try:
            self.assertTrue(self.watcher.wait_for(lambda: self.gate_says('HOLD', 'chunk_age')))
            self.assertTrue(self.watcher.wait_for(lambda: not self.moves()))
        finally:
            self.send_signal('low_level_policy', signal.SIGCONT)
        self.assertTrue(self.watcher.wait_for(self.moves))
        assert_all_safe(self.watcher.received['joint_command'])

    def test_dds_partition_of_the_executor_leaves_the_arm_at_rest(self):
        self.send_signal('action_executor', signal.SIGSTOP)
        try:
            self.assertTrue(self.watcher.wait_for(self.stands_after_the_last_command))
            self.watch_for(FROZEN_S)
        finally:
            before = len(self.watcher.received['joint_command'])
            self.send_signal('action_executor', signal.SIGCONT)
        self.assertTrue(self.watcher.wait_for(
            lambda: len(self.watcher.received['joint_command']) > before and self.moves()))
        assert_all_safe(self.watcher.received['joint_command'])

    def test_goal_flood_leaves_the_rate_of_chunks(self):
        publisher = self.watcher.node.create_publisher(String, 'goal', LATCHED)
        quiet = self.chunks_while(lambda count: None)
        flooded = self.chunks_while(
            lambda count: publisher.publish(String(data=f'goal {count}')))
        self.assertGreater(flooded, 0.5 * quiet)
        assert_all_safe(self.watcher.received['joint_command'])

    def moves(self):
        """Return whether the newest command moves anything."""
        commands = self.watcher.received['joint_command']
        return bool(commands) and any(
            abs(velocity) > 1e-6
            for point in commands[-1].points for velocity in point.velocities)

    def stands_after_the_last_command(self):
        """Return whether the joints stand half a second after the last command."""
        commands = self.watcher.received['joint_command']
        end = seconds_from_stamp(commands[-1].header.stamp) + 0.5
        later = [np.array(state.position) for state in self.watcher.received['joint_states']
                 if seconds_from_stamp(state.header.stamp) > end + 0.2]
        return len(later) > 10 and np.abs(later[-1] - later[-10]).max() < 1e-3

    def gate_says(self, level, cause):
        """Return whether the newest gate state is that."""
        states = self.watcher.received['gate_state']
        return bool(states) and level in states[-1].data and cause in states[-1].data

    def send_signal(self, executable, number):
        pids = pids_of(executable)
        self.assertEqual(len(pids), 1, pids)
        os.kill(pids[0], number)

    def watch_for(self, seconds):
        end = time.monotonic() + seconds
        self.watcher.wait_for(lambda: time.monotonic() > end)

    def chunks_while(self, act):
        """Return how many chunks come while something is done about a thousand times a second."""
        before = len(self.watcher.low_level)
        begin = time.monotonic()
        count = 0
        while time.monotonic() - begin < FLOOD_S:
            act(count)
            count += 1
            rclpy.spin_once(self.watcher.node, timeout_sec=0.001)
        return len(self.watcher.low_level) - before
