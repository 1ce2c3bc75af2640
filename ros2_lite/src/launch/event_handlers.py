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

"""Event handlers for processes and for the end of the launch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from .event import Event
from .event_handler import BaseEventHandler
from .events import Shutdown
from .events.process import ProcessExited, ProcessIO, ProcessStarted
from .launch_description_entity import (
    LaunchDescriptionEntity,
    list_of_entities,
    SomeEntitiesType,
)
from .unsupported import missing_attribute

if TYPE_CHECKING:
    from .launch_context import LaunchContext

__getattr__ = missing_attribute(__name__)

Response = SomeEntitiesType | Callable[[Event, Any], SomeEntitiesType | None]
Target = Any  # an Action, a predicate of an action, or None for every action


class _RespondingHandler(BaseEventHandler):
    """Responds with entities, or with what a callable (event, context) returns."""

    def __init__(self, *, response: Response | None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._callback = response if callable(response) else None
        self._entities = [] if callable(response) else list_of_entities(response)

    @property
    def entities(self) -> list[LaunchDescriptionEntity]:
        return self._entities

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        super().handle(event, context)
        return self._callback(event, context) if self._callback else self._entities


class _ProcessHandler(_RespondingHandler):
    """Handles one kind of event of one process action, of several, or of all."""

    def __init__(self, *, event_class: type, target_action: Target, **kwargs: Any) -> None:
        def matches(event: Event) -> bool:
            if not isinstance(event, event_class):
                return False
            if target_action is None:
                return True
            if callable(target_action):
                return target_action(event.action)
            return event.action is target_action

        super().__init__(matcher=matches, **kwargs)


class OnProcessStart(_ProcessHandler):
    """Responds when a process has started."""

    def __init__(
        self, *, target_action: Target = None, on_start: Response, **kwargs: Any,
    ) -> None:
        super().__init__(
            event_class=ProcessStarted, target_action=target_action, response=on_start, **kwargs)


class OnProcessExit(_ProcessHandler):
    """Responds when a process has ended, at each end if it is respawned."""

    def __init__(
        self, *, target_action: Target = None, on_exit: Response, **kwargs: Any,
    ) -> None:
        super().__init__(
            event_class=ProcessExited, target_action=target_action, response=on_exit, **kwargs)


class OnProcessIO(_ProcessHandler):
    """Calls functions of the event with what a process writes."""

    def __init__(
        self, *, target_action: Target = None,
        on_stdout: Callable[[ProcessIO], SomeEntitiesType | None] | None = None,
        on_stderr: Callable[[ProcessIO], SomeEntitiesType | None] | None = None,
        **kwargs: Any,
    ) -> None:
        def respond(event: ProcessIO, context: LaunchContext) -> SomeEntitiesType | None:
            callback = on_stdout if event.from_stdout else on_stderr
            return callback(event) if callback else None

        super().__init__(
            event_class=ProcessIO, target_action=target_action, response=respond, **kwargs)


class OnShutdown(_RespondingHandler):
    """Responds when the launch is about to end."""

    def __init__(self, *, on_shutdown: Response, **kwargs: Any) -> None:
        super().__init__(
            matcher=lambda event: isinstance(event, Shutdown), response=on_shutdown, **kwargs)
