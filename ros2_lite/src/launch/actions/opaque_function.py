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

"""OpaqueFunction: calls a Python function when it is visited."""

from collections.abc import Callable, Iterable
from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity


class OpaqueFunction(Action):
    """Calls `function(context, *args, **kwargs)` and visits what it returns."""

    def __init__(
        self, *, function: Callable, args: Iterable[Any] | None = None,
        kwargs: dict[str, Any] | None = None, **left_over_kwargs: Any,
    ) -> None:
        super().__init__(**left_over_kwargs)
        if not callable(function):
            raise TypeError(
                f"OpaqueFunction expected a callable for 'function', got {function!r}")
        self._function = function
        self._args = list(args or [])
        self._kwargs = kwargs or {}

    def execute(self, context: LaunchContext) -> Iterable[LaunchDescriptionEntity] | None:
        return self._function(context, *self._args, **self._kwargs)
