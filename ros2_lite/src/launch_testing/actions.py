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

"""ReadyToTest: the action which starts the tests."""

from collections.abc import Callable

from launch.action import Action
from launch.launch_context import LaunchContext
from launch.unsupported import missing_attribute

__all__ = ['ReadyToTest']
__getattr__ = missing_attribute(__name__)


class ReadyToTest(Action):
    """Tells the test runner that the tests may begin."""

    def __init__(self) -> None:
        super().__init__()
        self._callbacks: list[Callable[[], None]] = []

    def _add_callback(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)

    def execute(self, context: LaunchContext) -> None:
        for callback in self._callbacks:
            callback()
