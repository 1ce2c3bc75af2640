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

"""LaunchDescriptionEntity: anything that a launch description may contain."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class LaunchDescriptionEntity:
    """A thing which is visited when the launch comes to it."""

    def visit(self, context: LaunchContext) -> Iterable[LaunchDescriptionEntity] | None:
        """Do the work and return the entities to visit next."""

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities which a visit would certainly yield."""
        return []

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return the entities which a visit may yield, each list with its condition."""
        return []

    def get_asyncio_future(self) -> asyncio.Future[None] | None:
        """Return a future that is done when the entity has finished, None if it already has."""
        return None


SomeEntitiesType = LaunchDescriptionEntity | Iterable[LaunchDescriptionEntity]


def list_of_entities(entities: SomeEntitiesType | None) -> list[LaunchDescriptionEntity]:
    """Return None, one entity or several as a list, refusing anything else."""
    if entities is None:
        return []
    items = list(entities) if isinstance(entities, Iterable) else [entities]
    for item in items:
        if not isinstance(item, LaunchDescriptionEntity):
            raise TypeError(f'Expected a LaunchDescriptionEntity, got {item!r}')
    return items


def visit_all(
    entities: SomeEntitiesType | None, context: LaunchContext,
) -> list[asyncio.Future[None]]:
    """Visit entities and what they yield, depth first; return the futures of unfinished ones."""
    futures = []
    for entity in list_of_entities(entities):
        yielded = entity.visit(context)
        future = entity.get_asyncio_future()
        if future is not None:
            futures.append(future)
        futures.extend(visit_all(yielded, context))
    return futures
