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

"""Processes that write in pieces, to both streams, and to a terminal."""

import sys

from launch import LaunchDescription
from launch.actions import ExecuteProcess

PIECES = '''
import os, sys
os.write(1, b'one li')
os.write(1, b'ne\\nno end \\xc3')
os.write(1, b'\\xa4')
'''
STREAMS = 'import sys; print("to stdout"); print("to stderr", file=sys.stderr)'
TERMINAL = 'import sys; print("terminal", sys.stdout.isatty(), sys.stderr.isatty())'


def python(name: str, script: str, **kwargs: object) -> ExecuteProcess:
    return ExecuteProcess(cmd=[sys.executable, '-c', script], name=name, **kwargs)


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription([
        python('pieces', PIECES, output='screen'),
        python('screen', STREAMS, output='screen'),
        python('log', STREAMS),
        python('split', STREAMS, output={'stdout': 'screen', 'stderr': 'log'}),
        python('tty', TERMINAL, output='screen', emulate_tty=True),
        python('pipe', TERMINAL, output='screen'),
        ExecuteProcess(cmd=['echo shell $((1 + 1))'], shell=True, name='shell', output='screen'),
    ])
