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

"""A launch test of a real node: its name, its remapping, its parameters and its end."""

from pathlib import Path
import sys
import unittest

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
import launch_testing
from launch_testing.actions import ReadyToTest
from launch_testing.asserts import assertExitCodes, assertInStdout
import pytest

FILES = Path(__file__).parent


@pytest.mark.launch_test
def generate_test_description() -> tuple:
    node = Node(
        executable=sys.executable, arguments=[str(FILES / 'parameter_reporter.py')],
        name='reporter', namespace='left', remappings=[('chatter', '/talk')],
        parameters=[
            str(FILES / 'parameters.yaml'),
            {'speed': LaunchConfiguration('speed'), 'labels': ['a', 'b'], 'nested': {'gain': 2}},
        ])
    return LaunchDescription(
        [DeclareLaunchArgument('speed', default_value='1.5'), node, ReadyToTest()],
    ), {'node': node}


class TestNode(unittest.TestCase):

    def test_node_has_what_launch_gave_it(self, proc_output: object, node: object) -> None:
        for text in (
            'node /left/reporter', 'topic /talk', 'rate 10', 'speed 1.5', "labels ['a', 'b']",
            'nested.gain 2',
        ):
            proc_output.assertWaitFor(text, process=node, timeout=20, stream='stdout')


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_node_ends_cleanly(self, proc_info: object, proc_output: object) -> None:
        assertExitCodes(proc_info)
        assertInStdout(proc_output, 'interrupted', 'python')
