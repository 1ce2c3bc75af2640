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

"""Actions on events and their handlers."""

from collections.abc import Iterable
from typing import Any

from .. import events
from ..action import Action
from ..event import Event
from ..event_handler import BaseEventHandler
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from ..logging import get_logger


class EmitEvent(Action):
    """Emits an event."""

    def __init__(self, *, event: Event, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(event, Event):
            raise RuntimeError(f"EmitEvent() expected an event instance, got '{event!r}'.")
        self.event = event

    def execute(self, context: LaunchContext) -> None:
        context.emit_event_sync(self.event)


class Shutdown(EmitEvent):
    """Ends the launch."""

    def __init__(self, *, reason: str = 'reason not given', **kwargs: Any) -> None:
        super().__init__(event=events.Shutdown(reason=reason), **kwargs)

    def execute(self, context: LaunchContext) -> None:
        cause = context.get_locals_as_dict().get('event')
        if isinstance(cause, events.process.ProcessExited):
            get_logger('launch').info(
                'process[%s] was required: shutting down launched system', cause.process_name)
        super().execute(context)


class RegisterEventHandler(Action):
    """Adds an event handler to the launch."""

    def __init__(self, event_handler: BaseEventHandler, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.event_handler = event_handler

    def execute(self, context: LaunchContext) -> None:
        context.register_event_handler(self.event_handler)

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        handler = self.event_handler
        return [(type(handler).__name__, handler.entities)] if handler.entities else []


class UnregisterEventHandler(Action):
    """Removes an event handler from the launch."""

    def __init__(self, event_handler: BaseEventHandler, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.event_handler = event_handler

    def execute(self, context: LaunchContext) -> None:
        context.unregister_event_handler(self.event_handler)
