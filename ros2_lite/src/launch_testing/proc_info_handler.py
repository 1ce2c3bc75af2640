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

"""Starts and ends of processes, and waiting for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import threading
from typing import Any

from launch.actions import ExecuteProcess
from launch.events.process import ProcessExited, RunningProcessEvent

from .util import NoMatchingProcessException, resolveProcesses


class ProcInfoHandler:
    """The last start or end event of each process."""

    def __init__(self) -> None:
        self._events: dict[ExecuteProcess, RunningProcessEvent] = {}

    def append(self, event: RunningProcessEvent) -> None:
        self._events[event.action] = event

    def __iter__(self) -> Iterator[RunningProcessEvent]:
        return iter(list(self._events.values()))

    def processes(self) -> list[ExecuteProcess]:
        return list(self._events)

    def process_names(self) -> list[str]:
        return [action.process_details['name'] for action in self.processes()]

    def __getitem__(self, key: str | ExecuteProcess) -> RunningProcessEvent:
        if not isinstance(key, str):
            return self._events[key]
        for action in self.processes():
            if key in action.process_details['name']:
                return self._events[action]
        raise KeyError(key)


class ActiveProcInfoHandler(ProcInfoHandler):
    """The events while the processes run."""

    def __init__(self) -> None:
        super().__init__()
        self.proc_event = threading.Condition()

    def append(self, event: RunningProcessEvent) -> None:
        with self.proc_event:
            super().append(event)
            self.proc_event.notify_all()

    def ended(self) -> ProcInfoHandler:
        """Return the same events without the waiting."""
        handler = ProcInfoHandler()
        handler._events = self._events
        return handler

    def assertWaitForStartup(
        self, process: Any, cmd_args: Any = None, *, timeout: float = 10,
    ) -> None:
        """Wait until a process has started, and fail if it does not."""
        assert self._wait(process, cmd_args, timeout, lambda event: True), \
            f"Timed out waiting for process '{process}' to start"

    def assertWaitForShutdown(
        self, process: Any, cmd_args: Any = None, *, timeout: float = 10,
    ) -> None:
        """Wait until a process has ended, and fail if it does not."""
        assert self._wait(
            process, cmd_args, timeout, lambda event: isinstance(event, ProcessExited),
        ), f"Timed out waiting for process '{process}' to finish"

    def _wait(
        self, process: Any, cmd_args: Any, timeout: float,
        accept: Callable[[RunningProcessEvent], bool],
    ) -> bool:
        def is_so() -> bool:
            try:
                found = resolveProcesses(self, process=process, cmd_args=cmd_args)
            except NoMatchingProcessException:
                return False
            return accept(self[found[0]])

        with self.proc_event:
            return self.proc_event.wait_for(is_so, timeout=timeout)
