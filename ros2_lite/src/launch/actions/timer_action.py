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

"""TimerAction: actions after some time."""

import asyncio
from collections.abc import Iterable
from typing import Any

from ..action import Action
from ..event import Event
from ..event_handler import EventHandler
from ..events import Shutdown
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from ..substitution import resolve, SomeSubstitutionsType
from .opaque_function import OpaqueFunction


class TimerEvent(Event):
    """A timer has run down."""

    name = 'launch.events.TimerEvent'

    def __init__(self, timer_action: 'TimerAction') -> None:
        self.timer_action = timer_action


class TimerAction(Action):
    """Yields its actions once, after the period, unless it is canceled."""

    def __init__(
        self, *, period: float | SomeSubstitutionsType,
        actions: Iterable[LaunchDescriptionEntity], cancel_on_shutdown: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.period = period
        self.actions = list(actions)
        self._cancel_on_shutdown = cancel_on_shutdown
        self._canceled = asyncio.Event()
        self._future: asyncio.Future[None] | None = None

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        return [(f'{self.period} seconds pass without being canceled', self.actions)]

    def get_asyncio_future(self) -> asyncio.Future[None] | None:
        return self._future

    def cancel(self) -> None:
        """Cancel the timer, whether it runs or not."""
        self._canceled.set()

    def execute(self, context: LaunchContext) -> None:
        seconds = (
            float(self.period) if isinstance(self.period, (int, float))
            else float(resolve(context, self.period)))
        captured = context.get_locals_as_dict()

        def fire(context: LaunchContext) -> list[LaunchDescriptionEntity]:
            context.extend_locals(captured)
            return self.actions

        handlers = [EventHandler(
            matcher=lambda event: isinstance(event, TimerEvent) and event.timer_action is self,
            entities=OpaqueFunction(function=fire), handle_once=True)]
        if self._cancel_on_shutdown:
            handlers.append(EventHandler(
                matcher=lambda event: isinstance(event, Shutdown),
                entities=OpaqueFunction(function=lambda context: self.cancel())))
        for handler in handlers:
            context.register_event_handler(handler)
        self._future = context.asyncio_loop.create_task(self._wait(context, seconds))

    async def _wait(self, context: LaunchContext, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._canceled.wait(), seconds)
        except TimeoutError:
            await context.emit_event(TimerEvent(self))
