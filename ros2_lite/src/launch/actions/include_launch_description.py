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

"""IncludeLaunchDescription: another launch file inside this one."""

from collections.abc import Iterable
import os
from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..launch_description import LaunchDescription
from ..launch_description_entity import LaunchDescriptionEntity
from ..launch_description_source import LaunchDescriptionSource
from ..launch_description_sources import AnyLaunchDescriptionSource
from ..substitution import resolve, SomeSubstitutionsType
from .configuration import SetLaunchConfiguration


class IncludeLaunchDescription(Action):
    """Visits a launch description with arguments; it shares the scope of the including one."""

    def __init__(
        self, launch_description_source: LaunchDescriptionSource | SomeSubstitutionsType, *,
        launch_arguments: (
            Iterable[tuple[SomeSubstitutionsType, SomeSubstitutionsType]] | None) = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not isinstance(launch_description_source, LaunchDescriptionSource):
            launch_description_source = AnyLaunchDescriptionSource(launch_description_source)
        self.launch_description_source = launch_description_source
        self.launch_arguments = tuple(launch_arguments or ())

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        found = self.launch_description_source.try_get_launch_description_without_context()
        return [] if found is None else [found]

    def try_get_argument_names(self) -> set[str]:
        """Return the names of the given arguments as far as they are known before the launch."""
        try:
            return {resolve(LaunchContext(), name) for name, _ in self.launch_arguments}
        except Exception:  # a name which depends on the launch is not known yet
            return set()

    def execute(self, context: LaunchContext) -> Iterable[LaunchDescriptionEntity]:
        description = self.launch_description_source.get_launch_description(context)
        path = os.path.abspath(self.launch_description_source.location)
        directory = (
            os.path.dirname(path) if os.path.exists(path)
            else self.launch_description_source.location)
        context.extend_locals({
            'current_launch_file_path': path, 'current_launch_file_directory': directory})
        self._check_required_arguments(context, description)
        return [*(SetLaunchConfiguration(*item) for item in self.launch_arguments), description]

    def _check_required_arguments(
        self, context: LaunchContext, description: LaunchDescription,
    ) -> None:
        own = {resolve(context, name) for name, _ in self.launch_arguments}
        for argument, given in description.arguments_with_given_names():
            if argument._conditionally_included or argument.default_value is not None:
                continue
            if argument.name not in own | given:
                raise RuntimeError(
                    f"Included launch description missing required argument '{argument.name}' "
                    f"(description: '{argument.description}'), "
                    f"given: [{', '.join(sorted(own | given))}]")
