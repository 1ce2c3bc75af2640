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

"""Actions that set and unset launch configurations."""

from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..substitution import resolve, SomeSubstitutionsType


class SetLaunchConfiguration(Action):
    """Gives a launch configuration a value in the current scope."""

    def __init__(
        self, name: SomeSubstitutionsType, value: SomeSubstitutionsType, **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._name = name
        self._value = value

    def execute(self, context: LaunchContext) -> None:
        context.launch_configurations[resolve(context, self._name)] = resolve(
            context, self._value)


class UnsetLaunchConfiguration(Action):
    """Removes a launch configuration from the current scope."""

    def __init__(self, name: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._name = name

    def execute(self, context: LaunchContext) -> None:
        context.launch_configurations.pop(resolve(context, self._name), None)
