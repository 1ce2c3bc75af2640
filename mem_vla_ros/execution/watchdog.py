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

"""
Age of what must keep coming: images, joint states, chunks.

Times are steady time: a clock that jumps must neither wake nor silence a watchdog.
"""

from collections.abc import Mapping
import math

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.execution.level import Level


class Watchdog:
    """
    Age of one input, as a level.

    :param warn_s: Older than this is WARN [s].
    :param hold_s: Older than this is HOLD [s]; so is an input that never came.
    """

    def __init__(self, warn_s: float, hold_s: float) -> None:
        if not 0.0 < warn_s <= hold_s:
            raise ConfigError(
                f'A watchdog needs 0 < warn_s <= hold_s. Got warn_s={warn_s}, hold_s={hold_s}.')
        self.warn_s = warn_s
        self.hold_s = hold_s
        self._fed_at = -math.inf

    def feed(self, now_steady: float) -> None:
        """Note that a good input came now."""
        self._fed_at = now_steady

    def forget(self) -> None:
        """Start over, as if nothing had ever come."""
        self._fed_at = -math.inf

    def age(self, now_steady: float) -> float:
        """Return the time since the last good input [s]; infinite if none came."""
        return now_steady - self._fed_at

    def level(self, now_steady: float) -> Level:
        """Return how bad the age is."""
        age = self.age(now_steady)
        if age > self.hold_s:
            return Level.HOLD
        return Level.WARN if age > self.warn_s else Level.OK


class Watchdogs:
    """
    Several watchdogs by name; their levels are flags for the safety gate.

    :param ages: Name -> (warn_s, hold_s).
    """

    def __init__(self, ages: Mapping[str, tuple[float, float]]) -> None:
        self._dogs = {name: Watchdog(warn, hold) for name, (warn, hold) in ages.items()}

    def __getitem__(self, name: str) -> Watchdog:
        return self._dogs[name]

    def feed(self, name: str, now_steady: float) -> None:
        """Note that a good input of that name came now."""
        self._dogs[name].feed(now_steady)

    def forget(self) -> None:
        """Start over with all of them."""
        for dog in self._dogs.values():
            dog.forget()

    def ages(self, now_steady: float) -> dict[str, float]:
        """Return name -> age [s]."""
        return {name: dog.age(now_steady) for name, dog in self._dogs.items()}

    def flags(self, now_steady: float) -> dict[str, Level]:
        """Return ``<name>_age`` -> level, for :meth:`SafetyGate.update`."""
        return {f'{name}_age': dog.level(now_steady) for name, dog in self._dogs.items()}
