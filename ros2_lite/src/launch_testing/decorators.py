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

"""Decorators of test descriptions and test cases."""

from collections.abc import Callable, Iterable, Iterator
import functools
from typing import Any


def post_shutdown_test() -> Callable[[type], type]:
    """Mark a test case as one that runs after all processes have ended."""
    def decorate(test_case: type) -> type:
        test_case.__post_shutdown_test__ = True
        return test_case

    return decorate


def ready_to_test_action_timeout(timeout: float) -> Callable[[Callable], Callable]:
    """Set how many seconds the ReadyToTest action may take, instead of 15."""
    def decorate(function: Callable) -> Callable:
        function.__ready_to_test_action_timeout__ = timeout
        return function

    return decorate


def parametrize(argnames: str, argvalues: Iterable[Any]) -> Callable[[Callable], Callable]:
    """Launch and test once for each of the values."""
    names = [name.strip() for name in argnames.split(',') if name.strip()]
    rows = [row if isinstance(row, tuple) else (row,) for row in argvalues]

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def descriptions() -> Iterator[tuple[Callable, dict[str, Any]]]:
            for row in rows:
                arguments = dict(zip(names, row, strict=True))
                bound = functools.partial(function, **arguments)
                yield functools.update_wrapper(bound, function), arguments

        descriptions.__parametrized__ = True
        return descriptions

    return decorate
