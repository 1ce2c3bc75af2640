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

"""Events of processes, from them and for them."""

from __future__ import annotations

from collections.abc import Callable
import signal
from typing import Any, TYPE_CHECKING

from ..event import Event
from ..unsupported import missing_attribute

if TYPE_CHECKING:
    from ..actions.execute_process import ExecuteProcess

__getattr__ = missing_attribute(__name__)

Matcher = Callable[['ExecuteProcess'], bool]


class RunningProcessEvent(Event):
    """Base of what a process tells."""

    name = 'launch.events.process.RunningProcessEvent'

    def __init__(
        self, *, action: ExecuteProcess, name: str, cmd: list[str], cwd: str | None,
        env: dict[str, str], pid: int,
    ) -> None:
        self.action = action
        self.process_name = name
        self.cmd = cmd
        self.cwd = cwd
        self.env = env
        self.pid = pid

    @property
    def execute_process_action(self) -> ExecuteProcess:
        return self.action


class ProcessStarted(RunningProcessEvent):
    """A process has started."""

    name = 'launch.events.process.ProcessStarted'


class ProcessExited(RunningProcessEvent):
    """A process has ended; the code of a signal is negative."""

    name = 'launch.events.process.ProcessExited'

    def __init__(self, *, returncode: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.returncode = returncode


class ProcessIO(RunningProcessEvent):
    """A process has written something, not always whole lines."""

    name = 'launch.events.process.ProcessIO'

    def __init__(self, *, text: bytes, fd: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.text = text
        self.from_stdin = fd == 0
        self.from_stdout = fd == 1
        self.from_stderr = fd == 2


class ProcessStdout(ProcessIO):
    """A process has written to its standard output."""

    name = 'launch.events.process.ProcessStdout'

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(fd=1, **kwargs)


class ProcessStderr(ProcessIO):
    """A process has written to its standard error."""

    name = 'launch.events.process.ProcessStderr'

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(fd=2, **kwargs)


class ProcessTargetedEvent(Event):
    """Base of what is sent to the processes which the matcher accepts."""

    name = 'launch.events.process.ProcessTargetedEvent'

    def __init__(self, *, process_matcher: Matcher) -> None:
        self.process_matcher = process_matcher


class ShutdownProcess(ProcessTargetedEvent):
    """Begin to end a process: SIGINT, then SIGTERM, then SIGKILL."""

    name = 'launch.events.process.ShutdownProcess'


class SignalProcess(ProcessTargetedEvent):
    """Send a signal to a process."""

    name = 'launch.events.process.SignalProcess'

    def __init__(self, *, signal_number: str | signal.Signals, process_matcher: Matcher) -> None:
        super().__init__(process_matcher=process_matcher)
        self.signal = (
            signal.Signals[signal_number] if isinstance(signal_number, str)
            else signal.Signals(signal_number))

    @property
    def signal_name(self) -> str:
        return self.signal.name


def matches_pid(pid: int) -> Matcher:
    """Return a matcher of the process with this id."""
    return lambda action: (action.process_details or {}).get('pid') == pid


def matches_name(name: str) -> Matcher:
    """Return a matcher of the process with this final name, such as 'node-1'."""
    return lambda action: (action.process_details or {}).get('name') == name


def matches_executable(executable: str) -> Matcher:
    """Return a matcher of the processes whose program ends with this text."""
    return lambda action: (action.process_details or {'cmd': ['']})['cmd'][0].endswith(executable)
