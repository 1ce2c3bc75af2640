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

"""GroupAction: actions with a common condition and scope."""

from collections.abc import Iterable
from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from ..substitution import SomeSubstitutionsType
from .configuration import SetLaunchConfiguration
from .opaque_function import OpaqueFunction


class GroupAction(Action):
    """Yields its actions; if scoped, what they set ends with the group."""

    def __init__(
        self, actions: Iterable[Action], *, scoped: bool = True, forwarding: bool = True,
        launch_configurations: dict[SomeSubstitutionsType, SomeSubstitutionsType] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not forwarding:
            raise TypeError('GroupAction: forwarding=False is not supported by ros2_lite')
        self._entities = [
            *(SetLaunchConfiguration(*item) for item in (launch_configurations or {}).items()),
            *actions,
        ]
        if scoped:
            self._entities = [
                OpaqueFunction(function=LaunchContext.push_scope),
                *self._entities,
                OpaqueFunction(function=LaunchContext.pop_scope),
            ]

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        return self._entities

    def execute(self, context: LaunchContext) -> Iterable[LaunchDescriptionEntity]:
        return self._entities
