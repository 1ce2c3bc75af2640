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
        return [action.process_details['name'] for action in self._events]

    def __getitem__(self, key: str | ExecuteProcess) -> RunningProcessEvent:
        if not isinstance(key, str):
            return self._events[key]
        for action, event in self._events.items():
            if key in action.process_details['name']:
                return event
        raise KeyError(key)


class ActiveProcInfoHandler:
    """The same while the processes run, with a lock and with waiting."""

    def __init__(self) -> None:
        self.proc_event = threading.Condition()
        self._proc_info_handler = ProcInfoHandler()

    def append(self, event: RunningProcessEvent) -> None:
        with self.proc_event:
            self._proc_info_handler.append(event)
            self.proc_event.notify_all()

    def __iter__(self) -> Iterator[RunningProcessEvent]:
        with self.proc_event:
            return iter(self._proc_info_handler)

    def processes(self) -> list[ExecuteProcess]:
        with self.proc_event:
            return self._proc_info_handler.processes()

    def process_names(self) -> list[str]:
        with self.proc_event:
            return self._proc_info_handler.process_names()

    def __getitem__(self, key: str | ExecuteProcess) -> RunningProcessEvent:
        with self.proc_event:
            return self._proc_info_handler[key]

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
                found = resolveProcesses(
                    self._proc_info_handler, process=process, cmd_args=cmd_args)
            except NoMatchingProcessException:
                return False
            return accept(self._proc_info_handler[found[0]])

        with self.proc_event:
            return self.proc_event.wait_for(is_so, timeout=timeout)
