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

"""Failures in a row, up to the one that is a fault."""

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.execution.level import Level


class Strikes:
    """
    Counts failures in a row: the first ones hold, the last one is a fault.

    :param limit: How many in a row make a fault.
    """

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise ConfigError(f'Strikes need a limit of at least 1. Got {limit}.')
        self.limit = limit
        self.count = 0

    def strike(self) -> None:
        """Count one more failure."""
        self.count += 1

    def trip(self) -> None:
        """Make it a fault at once."""
        self.count = max(self.count, self.limit)

    def clear(self) -> None:
        """Forget the failures after a success or a reset."""
        self.count = 0

    @property
    def level(self) -> Level:
        """Return OK without failures, FAULT at the limit, HOLD between."""
        if self.count == 0:
            return Level.OK
        return Level.FAULT if self.count >= self.limit else Level.HOLD
