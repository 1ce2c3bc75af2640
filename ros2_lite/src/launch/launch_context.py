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

"""LaunchContext: the state which entities share while a launch runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, MutableMapping
import os
from types import SimpleNamespace
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from .event import Event
    from .event_handler import BaseEventHandler
    from .substitution import Substitution


class LaunchContext:
    """Launch configurations, environment, locals and event handlers of one launch."""

    def __init__(
        self, *, argv: Iterable[str] | None = None, noninteractive: bool = False,
    ) -> None:
        self.argv = list(argv or [])
        self.noninteractive = noninteractive
        self.launch_configurations: dict[str, Any] = {}
        self.is_shutdown = False
        self.asyncio_loop: asyncio.AbstractEventLoop | None = None
        self._event_queue: asyncio.Queue[Event] = asyncio.Queue()
        self._event_handlers: list[BaseEventHandler] = []
        self._globals: dict[str, Any] = {}
        self._locals: dict[str, Any] = {}
        self._saved_locals: list[dict[str, Any]] = []
        self._saved_configurations: list[dict[str, Any]] = []
        self._saved_environments: list[dict[str, str]] = []

    @property
    def environment(self) -> MutableMapping[str, str]:
        """The environment of this process, which child processes inherit."""
        return os.environ

    @property
    def locals(self) -> SimpleNamespace:
        """What the running entities may look at, for example `context.locals.event`."""
        return SimpleNamespace(**self.get_locals_as_dict())

    def get_locals_as_dict(self) -> dict[str, Any]:
        return {**self._globals, **self._locals}

    def extend_globals(self, extensions: dict[str, Any]) -> None:
        self._globals.update(extensions)

    def extend_locals(self, extensions: dict[str, Any]) -> None:
        self._locals.update(extensions)

    def push_locals(self) -> None:
        self._saved_locals.append(dict(self._locals))

    def pop_locals(self) -> None:
        self._locals = self._saved_locals.pop()

    def push_scope(self) -> None:
        """Save configurations and environment; lists in it (parameters, remaps) are copied."""
        self._saved_configurations.append(self.launch_configurations)
        self.launch_configurations = {
            name: list(value) if isinstance(value, list) else value
            for name, value in self.launch_configurations.items()}
        self._saved_environments.append(dict(os.environ))

    def pop_scope(self) -> None:
        self.launch_configurations = self._saved_configurations.pop()
        os.environ.clear()
        os.environ.update(self._saved_environments.pop())

    def register_event_handler(self, handler: BaseEventHandler, append: bool = False) -> None:
        """Add a handler, by default in front of those already there."""
        self._event_handlers.insert(len(self._event_handlers) if append else 0, handler)

    def unregister_event_handler(self, handler: BaseEventHandler) -> None:
        self._event_handlers.remove(handler)

    def matching_event_handlers(self, event: Event) -> list[BaseEventHandler]:
        return [handler for handler in self._event_handlers if handler.matches(event)]

    def would_handle_event(self, event: Event) -> bool:
        return bool(self.matching_event_handlers(event))

    def emit_event_sync(self, event: Event) -> None:
        self._event_queue.put_nowait(event)

    async def emit_event(self, event: Event) -> None:
        await self._event_queue.put(event)

    def perform_substitution(self, substitution: Substitution) -> str:
        return substitution.perform(self)
