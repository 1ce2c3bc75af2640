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

"""A launch test with parameters, whose processes may end early."""

import sys
import unittest

from launch import LaunchDescription
from launch.actions import ExecuteProcess
import launch_testing
from launch_testing.actions import ReadyToTest
import launch_testing.markers
import pytest


@pytest.mark.launch_test
@launch_testing.parametrize('code, word', [(0, 'zero'), (3, 'three')])
@launch_testing.markers.keep_alive
def generate_test_description(code: int, word: str) -> LaunchDescription:
    return LaunchDescription([
        ExecuteProcess(
            cmd=[sys.executable, '-c', f'import sys; print("{word}"); sys.exit({code})'],
            name='short'),
        ReadyToTest(),
    ])


class TestEnd(unittest.TestCase):

    def test_process_ends(self, proc_info: object, proc_output: object, word: str) -> None:
        proc_info.assertWaitForShutdown(process='short', timeout=10)
        proc_output.assertWaitFor(word, process='short', timeout=10, stream='stdout')


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):

    def test_code(self, proc_info: object, code: int) -> None:
        launch_testing.asserts.assertExitCodes(proc_info, [code])
