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

"""A bag is replayed through the real nodes: they answer, nothing moves, the answers are kept."""

from pathlib import Path
import tempfile
import unittest

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
import launch_testing
from launch_testing.actions import ReadyToTest
import launch_testing.asserts
import pytest
from support.arm_bags import write_arm_bag
from support.graph_watcher import GraphWatcher
from support.node_graph import ROBOT_FILE
from trajectory_msgs.msg import JointTrajectory

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.evaluation.bag_reader import BagReader
from mem_vla_ros.evaluation.bag_storage import BagStorage
from mem_vla_ros.evaluation.recorded_episode import read_episodes
from mem_vla_ros.ros.qos import NEWEST

LAUNCH = Path(__file__).parents[2] / 'launch'
FOLDER = Path(tempfile.mkdtemp())


@pytest.mark.system
@pytest.mark.launch_test
def generate_test_description():
    bag = write_arm_bag(FOLDER / 'bag', seconds=4.0, compressed=True)
    return LaunchDescription([
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(LAUNCH / 'replay.launch.py')),
            launch_arguments={
                'bag': str(bag), 'answers': str(FOLDER / 'answers'), 'rate': '1.0'}.items()),
        ReadyToTest()])


class TestReplay(unittest.TestCase):
    """Watches the graph while the bag is played."""

    def test_nodes_answer_and_no_command_is_sent(self, proc_info):
        with GraphWatcher() as watcher:
            watcher.listen('joint_command', JointTrajectory, NEWEST)
            self.assertTrue(watcher.wait_for(lambda: watcher.high_level, timeout=60))
            proc_info.assertWaitForShutdown(process='bag_player', timeout=60)
            self.assertEqual(watcher.received['joint_command'], [])


@launch_testing.post_shutdown_test()
class TestAnswers(unittest.TestCase):
    """Reads what the recorder has kept."""

    def test_every_process_ends_with_code_0(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)

    def test_answers_are_in_a_finished_bag(self):
        robot = load_robot(FOLDER / 'answers.robot.yaml')
        self.assertEqual({camera.transport for camera in robot.cameras}, {'compressed'})
        self.assertEqual(robot.joint_names, load_robot(ROBOT_FILE).joint_names)
        with BagStorage(FOLDER / 'answers') as storage:
            self.assertEqual(storage.damage, [])
            self.assertEqual(storage.custom['goal'], 'tidy up')
            episode = read_episodes(BagReader(storage, robot))[-1]
        self.assertGreater(len(episode.trace.high_level), 1)
        self.assertEqual(episode.goal, 'tidy up')
        self.assertLess(episode.trace.duration, 8.0)
        self.assertIn('joint_states', episode.references)
