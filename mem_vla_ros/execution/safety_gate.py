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
Whether the arm may move.

A pure function of named flags with one bit of memory: a fault stays until somebody resets it.
"""

from collections.abc import Mapping

from mem_vla_ros.execution.level import Level


class SafetyGate:
    """Reduces named flags to one level: the worst wins, and FAULT is latched."""

    def __init__(self) -> None:
        self.level = Level.HOLD
        self.since = 0.0
        self._faults: tuple[str, ...] = ()
        self._causes: dict[str, Level] = {}

    def update(self, now: float, flags: Mapping[str, Level]) -> Level:
        """
        Take in the present flags and return the level.

        :param now: Steady time [s]; :attr:`since` is the time of the last change of level.
        :param flags: Cause -> level, such as ``{'joint_states_age': Level.HOLD}``. A cause that
            is absent is OK, except that a fault stays until :meth:`reset`.
        """
        self._causes = {name: level for name, level in flags.items() if level > Level.OK}
        new_faults = [
            name for name, level in self._causes.items()
            if level == Level.FAULT and name not in self._faults]
        self._faults += tuple(new_faults)
        level = max((Level.OK, *self._causes.values()))
        if self._faults:
            level = Level.FAULT
        if level != self.level:
            self.level = level
            self.since = now
        return level

    @property
    def may_move(self) -> bool:
        """Return whether commands may follow the policy."""
        return self.level < Level.HOLD

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return the causes that are not OK, latched faults first, then worst first."""
        causes = [name for name in self._causes if name not in self._faults]
        return self._faults + tuple(
            sorted(causes, key=lambda name: (-self._causes[name], name)))

    def reset(self) -> None:
        """Forget latched faults; a cause that is still there latches again at once."""
        self._faults = ()
