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

"""One process that ends at SIGINT, one only at SIGTERM and one only at SIGKILL."""

import sys

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess

SCRIPT = '''
import os, signal, sys, threading
ends_at = sys.argv[1]
for number in (signal.SIGINT, signal.SIGTERM):
    ends = lambda number, frame: (print('ended by', signal.Signals(number).name), os._exit(0))
    signal.signal(number, ends if number.name == ends_at else signal.SIG_IGN)
print('ready', os.getpid(), flush=True)
threading.Event().wait()
'''


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription([
        DeclareLaunchArgument('sigterm_timeout', default_value='0.4'),
        DeclareLaunchArgument('sigkill_timeout', default_value='0.4'),
        *(ExecuteProcess(
            cmd=[sys.executable, '-u', '-c', SCRIPT, ends_at], name=ends_at.lower(),
            output='screen')
          for ends_at in ('SIGINT', 'SIGTERM', 'SIGKILL')),
    ])
