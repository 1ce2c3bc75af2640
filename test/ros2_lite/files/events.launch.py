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

"""Event handlers, timers and the end of a launch; the processes follow one another."""

import sys

from launch import LaunchDescription
from launch.actions import (
    EmitEvent,
    ExecuteProcess,
    LogInfo,
    RegisterEventHandler,
    Shutdown,
    TimerAction,
    UnregisterEventHandler,
)
from launch.event_handlers import OnProcessExit, OnProcessIO, OnProcessStart, OnShutdown
from launch.events import matches_action
from launch.events.process import ShutdownProcess


def python(name: str, script: str, **kwargs: object) -> ExecuteProcess:
    return ExecuteProcess(
        cmd=[sys.executable, '-u', '-c', script], name=name, output='screen', **kwargs)


def generate_launch_description() -> LaunchDescription:
    first = python('first', 'print("first speaks")')
    second = python('second', 'import sys; sys.exit(3)', on_exit=[LogInfo(msg='second ended')])
    waiting = python('waiting', (
        'import threading\n'
        'try:\n'
        '    print("waiting began")\n'
        '    threading.Event().wait()\n'
        'except KeyboardInterrupt:\n'
        '    print("waiting was interrupted")\n'), on_exit=Shutdown(reason='waiting ended'))
    unwanted = OnProcessStart(on_start=[LogInfo(msg='this is not said')])
    return LaunchDescription([
        RegisterEventHandler(unwanted),
        UnregisterEventHandler(unwanted),
        RegisterEventHandler(OnProcessStart(
            target_action=first, on_start=[LogInfo(msg='first has started')])),
        RegisterEventHandler(OnProcessExit(
            target_action=first,
            on_exit=lambda event, context: [
                LogInfo(msg=f'first returned {event.returncode}'), second])),
        RegisterEventHandler(OnProcessExit(
            target_action=second, on_exit=[TimerAction(period=0.05, actions=[waiting])])),
        RegisterEventHandler(OnProcessIO(
            target_action=waiting,
            on_stdout=lambda event: (
                EmitEvent(event=ShutdownProcess(process_matcher=matches_action(waiting)))
                if b'\n' in event.text else None))),
        RegisterEventHandler(OnShutdown(
            on_shutdown=lambda event, context: LogInfo(msg=f'shutdown: {event.reason}'))),
        TimerAction(period=600.0, actions=[LogInfo(msg='this timer is canceled')]),
        first,
    ])
