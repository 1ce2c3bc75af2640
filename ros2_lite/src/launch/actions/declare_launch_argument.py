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

"""DeclareLaunchArgument: an argument of a launch description."""

from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..logging import get_logger
from ..substitution import (
    normalize_to_list_of_substitutions,
    perform_substitutions,
    SomeSubstitutionsType,
)


class DeclareLaunchArgument(Action):
    """Declares an argument and gives it its default value if none was passed."""

    def __init__(
        self, name: str, *, default_value: SomeSubstitutionsType | None = None,
        description: str | None = None, choices: list[str] | None = None, **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if choices is not None and not choices:
            raise RuntimeError(
                'Provided choices arg is empty. Use None to ignore the choice list.')
        if choices and isinstance(default_value, str) and default_value not in choices:
            raise RuntimeError(
                f'Provided default_value "{default_value}" is not in provided choices '
                f'"{choices}".')
        self.name = name
        self.default_value = (
            None if default_value is None else normalize_to_list_of_substitutions(default_value))
        self.choices = choices
        self.description = self._describe(description, choices)
        self._conditionally_included = False

    @staticmethod
    def _describe(description: str | None, choices: list[str] | None) -> str:
        if description is None:
            return f'One of: {choices}' if choices else 'no description given'
        if not choices:
            return description
        stop = '' if description.endswith('.') else '.'
        return f'{description}{stop} Valid choices are: {choices}'

    def execute(self, context: LaunchContext) -> None:
        logger = get_logger('launch.actions.declare_launch_argument')
        configurations = context.launch_configurations
        if self.name not in configurations:
            if self.default_value is None:
                logger.error(
                    'Required launch argument "%s" (description: "%s") was not provided',
                    self.name, self.description)
                raise RuntimeError(
                    f'Required launch argument "{self.name}" was not provided.')
            configurations[self.name] = perform_substitutions(context, self.default_value)
        value = configurations[self.name]
        if self.choices is not None and value not in self.choices:
            message = (
                f'Argument "{self.name}" provided value "{value}" is not valid. '
                f'Valid options are: {self.choices}')
            logger.error(message)
            raise RuntimeError(message)
