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

"""A launch test of its own features: injected arguments, attributes, context and asserts."""

import re
import sys
import unittest

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, RegisterEventHandler
from launch.substitutions import LaunchConfiguration
import launch_testing
from launch_testing.actions import ReadyToTest
from launch_testing.asserts import (
    assertExitCodes,
    assertInStderr,
    assertInStdout,
    assertSequentialStdout,
    EXIT_OK,
)
from launch_testing.event_handlers import StdoutReadyListener
import launch_testing.markers
import pytest

SCRIPT = '''
import sys, threading
try:
    print('hello', sys.argv[1])
    print('\\x1b[31mcolored\\x1b[0m and plain')
    print('complaint', file=sys.stderr)
    print('ready')
    threading.Event().wait()
except KeyboardInterrupt:
    print('good', 'bye')
'''


@pytest.mark.launch_test
def generate_test_description() -> tuple:
    greeter = ExecuteProcess(
        cmd=[sys.executable, '-u', '-c', SCRIPT, LaunchConfiguration('whom')], name='greeter')
    return LaunchDescription([
        DeclareLaunchArgument('whom', default_value='world', description='Whom to greet'),
        RegisterEventHandler(StdoutReadyListener(
            target_action=greeter, ready_txt='ready', actions=[ReadyToTest()])),
        greeter,
    ]), {'greeter': greeter, 'answer': 42}


class TestWhileRunning(unittest.TestCase):

    @classmethod
    def setUpClass(cls, answer: int) -> None:
        cls.answer = answer

    def setUp(self, proc_info: object) -> None:
        self.started = proc_info.process_names()

    def test_output_is_found(self, proc_output: object, greeter: object) -> None:
        proc_output.assertWaitFor('hello', process=greeter, timeout=10, stream='stdout')
        proc_output.assertWaitFor('colored and', process='greeter', timeout=10, stream='stdout')
        assert not proc_output.waitFor('hello', process=greeter, timeout=0.01)
        assert proc_output[greeter][0].text.startswith(b'hello')

    def test_context_and_attributes_are_there(
        self, answer: int, test_args: dict, launch_service: object, proc_info: object,
    ) -> None:
        assert answer == self.answer == 42
        assert test_args.get('whom', 'world') in ('world', 'moon')
        assert len(self.started) == 1
        assert self.started[0].startswith('greeter-')
        assert launch_service.context.launch_configurations['whom']
        proc_info.assertWaitForStartup(process='greeter', timeout=10)
        assert self.proc_info is proc_info

    @launch_testing.markers.retry_on_failure(times=3)
    def test_is_retried(self) -> None:
        type(self).tries = getattr(self, 'tries', 0) + 1
        assert self.tries == 2


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):

    def test_exit_codes(self, proc_info: object, greeter: object) -> None:
        assertExitCodes(proc_info)
        assertExitCodes(proc_info, [EXIT_OK], process=greeter)
        assert proc_info['greeter'].returncode == EXIT_OK

    def test_output(self, proc_output: object, greeter: object) -> None:
        assertInStdout(proc_output, re.compile('goo?d bye'), greeter)
        assertInStdout(proc_output, ['hello', 'bye'], 'greeter')
        assertInStderr(proc_output, 'complaint', greeter)
        with self.assertRaises(AssertionError):
            assertInStdout(proc_output, ['bye', 'hello'], greeter)
        with assertSequentialStdout(proc_output, greeter) as order:
            order.assertInStdout('hello')
            order.assertInStdout('bye')
