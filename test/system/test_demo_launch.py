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

"""The whole graph in simulation: the task is solved, and every topic carries what it should."""

import unittest

from diagnostic_msgs.msg import DiagnosticArray
from launch import LaunchDescription
import launch_testing
from launch_testing.actions import ReadyToTest
import launch_testing.asserts
import pytest
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import Bool, String
from support.demo_launch import include_demo
from support.graph_watcher import GraphWatcher
from trajectory_msgs.msg import JointTrajectory

from mem_vla_ros.ros.conversions import (
    chunk_from_message,
    image_from_message,
    seconds_from_stamp,
)
from mem_vla_ros.ros.qos import EVENT, LATCHED, NEWEST, SENSOR

CAMERAS = ('base', 'left_wrist', 'right_wrist', 'rear')
TOPICS = {
    **{f'cameras/{name}/image': (Image, SENSOR) for name in CAMERAS},
    'joint_states': (JointState, SENSOR), 'goal': (String, LATCHED),
    'subtask': (String, LATCHED), 'memory': (String, LATCHED),
    'action_chunk': (JointTrajectory, NEWEST), 'joint_command': (JointTrajectory, NEWEST),
    'hold_state': (Bool, LATCHED), 'gate_state': (String, LATCHED),
    '/diagnostics': (DiagnosticArray, EVENT),
}


@pytest.mark.system
@pytest.mark.launch_test
def generate_test_description():
    return LaunchDescription([include_demo(seed='7'), ReadyToTest()])


class TestDemo(unittest.TestCase):
    """Watches the graph from outside until the task is over."""

    def test_the_task_is_solved_and_every_topic_carries_what_it_should(self):
        with GraphWatcher() as watcher:
            for topic, (kind, qos) in TOPICS.items():
                watcher.listen(topic, kind, qos)
            solved = watcher.wait_for(lambda: watcher.solved, timeout=120)
            self.assertTrue(solved, f'last score: {watcher.scores[-1:]}')
            self.check_policies(watcher)
            self.check_motion(watcher)
            self.check_inputs(watcher.received)

    def check_policies(self, watcher):
        high, low = watcher.high_level, watcher.low_level
        memories = [state.memory for state in high]
        self.assertTrue(any('drawer' in memory for memory in memories), memories)
        self.assertEqual(high[-1].subtask, watcher.received['subtask'][-1].data)
        self.assertEqual(len({state.episode for state in high}), 1)
        self.assertEqual({(state.status, state.error) for state in low[-5:]}, {('ok', '')})
        self.assertEqual(set(low[-1].frame_stamps), set(CAMERAS))
        self.assertEqual(len(low[-1].frame_stamps['base']), 6)

    def check_motion(self, watcher):
        chunk = chunk_from_message(watcher.received['action_chunk'][-1])
        self.assertEqual(chunk.positions.shape, (16, 7))
        self.assertEqual(chunk.episode, watcher.high_level[-1].episode)
        self.assertTrue(watcher.received['joint_command'])
        for command in watcher.received['joint_command']:
            last = command.points[-1]
            self.assertTrue(all(velocity == 0.0 for velocity in last.velocities))
            self.assertLessEqual(seconds_from_stamp(last.time_from_start), 0.5)

    def check_inputs(self, received):
        silent = [topic for topic, messages in received.items() if not messages]
        self.assertEqual(silent, [])
        for name in CAMERAS:
            image = image_from_message(received[f'cameras/{name}/image'][-1])
            self.assertEqual(image.shape, (64, 64, 3))
        self.assertEqual(len(received['joint_states'][-1].name), 7)
        names = {status.name for array in received['/diagnostics'] for status in array.status}
        self.assertLessEqual(
            {'/high_level_policy', '/low_level_policy', '/action_executor', '/sim_world',
             '/memory_inspector'}, names)


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """SIGINT ends every process well."""

    def test_every_process_ends_with_code_0(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
