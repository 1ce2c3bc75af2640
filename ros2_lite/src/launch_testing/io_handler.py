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

"""What processes have written, and waiting for it."""

from __future__ import annotations

from collections.abc import Iterator
import threading
from typing import Any

from launch.actions import ExecuteProcess
from launch.events.process import ProcessIO

from .asserts import assertInStream
from .util import NoMatchingProcessException, resolveProcesses


class IoHandler:
    """The output of all processes in the order in which it came."""

    def __init__(self) -> None:
        self._events: list[ProcessIO] = []
        self._by_name: dict[str, list[ProcessIO]] = {}

    def track(self, process_name: str) -> None:
        """Know a process that has not written anything yet."""
        self._by_name.setdefault(process_name, [])

    def append(self, event: ProcessIO) -> None:
        self._events.append(event)
        self._by_name.setdefault(event.process_name, []).append(event)

    def __iter__(self) -> Iterator[ProcessIO]:
        return iter(list(self._events))

    def processes(self) -> list[ExecuteProcess]:
        """Return the actions of the processes which have written something."""
        return [events[0].action for events in list(self._by_name.values()) if events]

    def process_names(self) -> list[str]:
        return list(self._by_name)

    def __getitem__(self, key: str | ExecuteProcess) -> list[ProcessIO]:
        name = key if isinstance(key, str) else key.process_details['name']
        return list(self._by_name[name])


class ActiveIoHandler(IoHandler):
    """The output while the processes still write."""

    def __init__(self) -> None:
        super().__init__()
        self.io_event = threading.Condition()

    def append(self, event: ProcessIO) -> None:
        with self.io_event:
            super().append(event)
            self.io_event.notify_all()

    def ended(self) -> IoHandler:
        """Return the same output without the waiting."""
        handler = IoHandler()
        handler._events, handler._by_name = self._events, self._by_name
        return handler

    def assertWaitFor(self, *args: Any, **kwargs: Any) -> None:
        """Wait for output as `waitFor` does, and fail if it does not come."""
        assert self.waitFor(*args, **kwargs), 'Waiting for output timed out'

    def waitFor(
        self, expected_output: Any, process: Any = None, cmd_args: Any = None, *,
        timeout: float = 10, **kwargs: Any,
    ) -> bool:
        """Wait until the output is there; the other arguments are those of assertInStream."""
        def is_there() -> bool:
            try:
                assertInStream(self, expected_output, process, cmd_args, **kwargs)
            except (NoMatchingProcessException, AssertionError):
                return False
            return True

        with self.io_event:
            success = self.io_event.wait_for(is_there, timeout=timeout)
        if not success:
            resolveProcesses(
                self, process=process, cmd_args=cmd_args, strict_proc_matching=False)
        return success
