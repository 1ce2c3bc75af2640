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
"""Twenty kills at random moments: nothing unsafe is commanded, and the graph always comes back."""

import os
import random
import signal
import tempfile
import time
import unittest

from launch import LaunchDescription
from launch_testing.actions import ReadyToTest
import pytest
from std_srvs.srv import Trigger
from support.command_audit import assert_all_safe
from support.demo_launch import include_demo
from support.graph_watcher import GraphWatcher
from support.processes import pids_of
from trajectory_msgs.msg import JointTrajectory

from mem_vla_ros.ros.qos import NEWEST

KILLS = 20
NODES = ('high_level_policy', 'low_level_policy', 'action_executor')


@pytest.mark.slow
@pytest.mark.system
@pytest.mark.launch_test
def generate_test_description():
    return LaunchDescription([
        include_demo(seed='12', journal=tempfile.mkdtemp(), inspector='false'), ReadyToTest()])


class TestRandomKills(unittest.TestCase):
    """Kills one of the three nodes again and again."""

    def test_twenty_random_kills_end_in_a_moving_arm(self):
        rng = random.Random(0)
        with GraphWatcher() as watcher:
            watcher.listen('joint_command', JointTrajectory, NEWEST)
            self.assertTrue(watcher.wait_for(lambda: watcher.received['joint_command']))
            for _ in range(KILLS):
                until = time.monotonic() + rng.uniform(0.0, 5.0)
                watcher.wait_for(lambda moment=until: time.monotonic() > moment)
                for pid in pids_of(rng.choice(NODES)):
                    os.kill(pid, signal.SIGKILL)
            self.assertEqual(len({state.episode for state in watcher.high_level}), 1)
            for topic in ('hl_state', 'll_state', 'joint_command'):
                seen = len(watcher.received[topic])
                self.assertTrue(watcher.wait_for(
                    lambda name=topic, count=seen: len(watcher.received[name]) > count), topic)
            assert_all_safe(watcher.received['joint_command'])
        # One that has not met the killed nodes: their services look alive for a while.
        with GraphWatcher() as watcher:
            watcher.listen('joint_command', JointTrajectory, NEWEST)
            for node in ('sim_world', 'high_level_policy', 'action_executor'):
                watcher.call(Trigger, f'{node}/reset', Trigger.Request())
            commands = watcher.received['joint_command']
            self.assertTrue(watcher.wait_for(lambda: any(
                any(point.velocities) for command in commands[-5:] for point in command.points)))
            assert_all_safe(commands)
