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

"""Tests of how a node's process ends."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

NODE = textwrap.dedent('''
    import os, signal, sys, time
    from rclpy.node import Node
    from mem_vla_ros.ros.node_main import run_node

    class Probe(Node):
        def __init__(self):
            super().__init__('probe')
            self.create_timer(0.01, self.on_timer)

        def on_timer(self):
            {body}

    sys.exit(run_node(Probe))
    ''')


def run(body: str) -> subprocess.CompletedProcess:
    program = NODE.format(body=textwrap.indent(body, ' ' * 8).strip())
    return subprocess.run(
        [sys.executable, '-c', program], env=os.environ, capture_output=True, text=True,
        timeout=60)


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_a_node_with_code_0(number):
    result = run(f'os.kill(os.getpid(), {int(number)})')
    assert (result.returncode, result.stderr) == (0, '')


def test_signal_that_breaks_a_message_ends_a_node_with_code_0():
    # What pybind makes of a KeyboardInterrupt while rclpy converts a message.
    result = run(
        'try:\n'
        '    os.kill(os.getpid(), signal.SIGINT)\n'
        '    time.sleep(5)\n'
        'except KeyboardInterrupt:\n'
        "    raise RuntimeError('Unable to convert call argument') from None")
    assert (result.returncode, result.stderr) == (0, '')


def test_error_without_a_signal_is_raised():
    result = run("raise RuntimeError('a real fault')")
    assert result.returncode == 1
    assert 'a real fault' in result.stderr
