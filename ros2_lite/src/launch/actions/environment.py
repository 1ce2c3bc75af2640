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

"""Actions on the environment of later processes."""

import os
from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..substitution import resolve, SomeSubstitutionsType


class SetEnvironmentVariable(Action):
    """Sets an environment variable in the current scope."""

    def __init__(
        self, name: SomeSubstitutionsType, value: SomeSubstitutionsType, **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._name = name
        self._value = value

    def execute(self, context: LaunchContext) -> None:
        context.environment[resolve(context, self._name)] = resolve(context, self._value)


class AppendEnvironmentVariable(Action):
    """Appends to an environment variable, or prepends, with a separator between."""

    def __init__(
        self, name: SomeSubstitutionsType, value: SomeSubstitutionsType,
        prepend: bool = False, separator: SomeSubstitutionsType = os.pathsep, **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._name = name
        self._value = value
        self._prepend = prepend
        self._separator = separator

    def execute(self, context: LaunchContext) -> None:
        name, value = resolve(context, self._name), resolve(context, self._value)
        if name in context.environment:
            parts = [context.environment[name], value]
            value = resolve(context, self._separator).join(
                reversed(parts) if self._prepend else parts)
        context.environment[name] = value


class UnsetEnvironmentVariable(Action):
    """Removes an environment variable in the current scope."""

    def __init__(self, name: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._name = name

    def execute(self, context: LaunchContext) -> None:
        context.environment.pop(resolve(context, self._name), None)
