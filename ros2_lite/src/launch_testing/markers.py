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

"""Markers of test descriptions and tests."""

from collections.abc import Callable
import functools
import time
from typing import Any

from launch.unsupported import missing_attribute

__getattr__ = missing_attribute(__name__)


def keep_alive(test_description: Callable) -> Callable:
    """Keep the launch running when all its processes have ended."""
    test_description.__markers__ = {
        **getattr(test_description, '__markers__', {}), 'keep_alive': True}
    return test_description


def retry_on_failure(*, times: int, delay: float | None = None) -> Callable:
    """Run a test up to so many times, until its assertions hold."""
    def decorate(test: Callable) -> Callable:
        @functools.wraps(test)
        def repeat(self: Any, *args: Any, **kwargs: Any) -> Any:
            for _ in range(times - 1):
                try:
                    return test(self, *args, **kwargs)
                except AssertionError:
                    time.sleep(delay or 0)
            return test(self, *args, **kwargs)

        return repeat

    return decorate
