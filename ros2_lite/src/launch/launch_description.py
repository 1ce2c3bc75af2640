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

"""LaunchDescription: a list of entities, which may declare arguments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .launch_description_entity import LaunchDescriptionEntity, list_of_entities

if TYPE_CHECKING:
    from .actions import DeclareLaunchArgument
    from .launch_context import LaunchContext


class LaunchDescription(LaunchDescriptionEntity):
    """What `generate_launch_description` returns."""

    def __init__(
        self, initial_entities: Iterable[LaunchDescriptionEntity] | None = None,
    ) -> None:
        self.entities = list_of_entities(initial_entities)

    def add_entity(self, entity: LaunchDescriptionEntity) -> None:
        self.entities.extend(list_of_entities(entity))

    def add_action(self, action: LaunchDescriptionEntity) -> None:
        self.add_entity(action)

    def visit(self, context: LaunchContext) -> Iterable[LaunchDescriptionEntity] | None:
        return self.entities

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        return self.entities

    def get_launch_arguments(
        self, conditional_inclusion: bool = False,
    ) -> list[DeclareLaunchArgument]:
        """Return the arguments declared here and in included files, each name once."""
        return [argument for argument, _ in self.arguments_with_given_names(
            conditional_inclusion)]

    def arguments_with_given_names(
        self, conditional_inclusion: bool = False,
    ) -> list[tuple[DeclareLaunchArgument, set[str]]]:
        """Return the arguments, each with the names which the includes around it give."""
        found: dict[str, tuple[DeclareLaunchArgument, set[str]]] = {}
        _collect_arguments(self.entities, conditional_inclusion, set(), found)
        return list(found.values())


def _collect_arguments(
    entities: Iterable[LaunchDescriptionEntity], conditional: bool, given: set[str],
    found: dict[str, tuple[DeclareLaunchArgument, set[str]]],
) -> None:
    from .actions import DeclareLaunchArgument, IncludeLaunchDescription
    for entity in entities:
        if isinstance(entity, DeclareLaunchArgument):
            if entity.name not in found:
                entity._conditionally_included = conditional or entity.condition is not None
                found[entity.name] = (entity, given)
            continue
        inner = given
        if isinstance(entity, IncludeLaunchDescription):
            inner = given | entity.try_get_argument_names()
        _collect_arguments(entity.describe_sub_entities(), conditional, inner, found)
        for _, sub_entities in entity.describe_conditional_sub_entities():
            _collect_arguments(sub_entities, True, inner, found)
