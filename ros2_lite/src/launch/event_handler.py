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

"""Event handlers: respond to an event with further entities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from .event import Event
from .launch_description_entity import (
    LaunchDescriptionEntity,
    list_of_entities,
    SomeEntitiesType,
)
from .unsupported import reject_keywords

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class BaseEventHandler:
    """Matches events; with `handle_once` it leaves after the first one."""

    def __init__(
        self, *, matcher: Callable[[Event], bool], handle_once: bool = False, **unknown: Any,
    ) -> None:
        reject_keywords(self, unknown)
        self._matcher = matcher
        self.handle_once = handle_once

    @property
    def entities(self) -> list[LaunchDescriptionEntity]:
        """The entities which are known before the event comes."""
        return []

    def matches(self, event: Event) -> bool:
        return self._matcher(event)

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Put the event into the locals; subclasses return the entities to visit."""
        context.extend_locals({'event': event})
        if self.handle_once:
            context.unregister_event_handler(self)
        return None


class EventHandler(BaseEventHandler):
    """Responds to matching events with fixed entities."""

    def __init__(
        self, *, matcher: Callable[[Event], bool], entities: SomeEntitiesType | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(matcher=matcher, **kwargs)
        self._entities = list_of_entities(entities)

    @property
    def entities(self) -> list[LaunchDescriptionEntity]:
        return self._entities

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        super().handle(event, context)
        return self._entities
