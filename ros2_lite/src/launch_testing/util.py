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

"""Lookup of the processes of a test, and a process that only waits."""

import sys
from typing import Any

from launch.actions import ExecuteProcess
from launch.unsupported import missing_attribute

__all__ = ['NO_CMD_ARGS', 'KeepAliveProc', 'NoMatchingProcessException', 'resolveProcesses']
__getattr__ = missing_attribute(__name__)

NO_CMD_ARGS = object()


class NoMatchingProcessException(Exception):  # noqa: N818
    """No process of the test is the one that was asked for."""


def KeepAliveProc() -> ExecuteProcess:
    """Return a process that keeps the launch running until the tests are done."""
    script = (
        'import threading\n'
        'try:\n'
        '    threading.Event().wait()\n'
        'except KeyboardInterrupt:\n'
        '    pass\n')
    return ExecuteProcess(cmd=[sys.executable, '-c', script])


def resolveProcesses(
    info_obj: Any, *, process: ExecuteProcess | str | None = None,
    cmd_args: Any = None, strict_proc_matching: bool = True,
) -> list[ExecuteProcess]:
    """
    Return the processes with this action or with this text in their names.

    :param info_obj: A handler with `processes()`.
    :param process: None means all processes.
    :param cmd_args: Arguments which the process must have, or NO_CMD_ARGS.
    :param strict_proc_matching: Refuse a name that several processes have.
    """
    known = list(info_obj.processes())
    if process is None:
        if not known:
            raise NoMatchingProcessException('No data recorded for any process')
        return known
    if isinstance(process, ExecuteProcess):
        if process not in known:
            raise NoMatchingProcessException(f'No data recorded for proc {_label(process)}')
        return [process]
    if not isinstance(process, str):
        raise TypeError(f"proc argument must be 'ExecuteProcess' or 'str' not {type(process)}")
    matches = [p for p in known if _matches(p, process, cmd_args)]
    names = ', '.join(sorted(_label(p) for p in known))
    if not matches:
        raise NoMatchingProcessException(
            f"Did not find any processes matching name '{process}' and args '{cmd_args}'. "
            f'Procs: {names}')
    if strict_proc_matching and len(matches) > 1:
        raise Exception(
            f"Found multiple processes matching name '{process}' and cmd_args '{cmd_args}'. "
            f'Procs: {names}')
    return matches


def _matches(action: ExecuteProcess, name: str, cmd_args: Any) -> bool:
    if name not in action.process_details['name']:
        return False
    given = action.process_details['cmd'][1:]
    if cmd_args is NO_CMD_ARGS:
        return not given
    wanted = [cmd_args] if isinstance(cmd_args, str) else cmd_args or []
    return all(argument in given for argument in wanted)


def _label(action: ExecuteProcess) -> str:
    details = action.process_details
    if details is None:
        return 'Unknown - Process not launched yet'
    return ' '.join([details['name'], *details['cmd'][1:]])
