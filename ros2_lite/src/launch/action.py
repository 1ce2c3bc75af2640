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

"""Action: an entity that does something, if its condition holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TYPE_CHECKING

from .condition import Condition
from .launch_description_entity import LaunchDescriptionEntity
from .unsupported import reject_keywords

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class Action(LaunchDescriptionEntity):
    """Base of all actions."""

    def __init__(self, *, condition: Condition | None = None, **unknown: Any) -> None:
        reject_keywords(self, unknown)
        self.condition = condition

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        return []

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        return self.get_sub_entities() if self.condition is None else []

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        if self.condition is None:
            return []
        return [(f'Conditionally included by {self!r}', self.get_sub_entities())]

    def visit(self, context: LaunchContext) -> Iterable[LaunchDescriptionEntity] | None:
        if self.condition is None or self.condition.evaluate(context):
            return self.execute(context)
        return None

    def execute(self, context: LaunchContext) -> Iterable[LaunchDescriptionEntity] | None:
        """Do the work; return further entities to visit, or None."""
