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
Language memory of one episode, with every version that it has had.

Versions are only ever added: an edit by a person or a roll back makes a new one. At one change a
second and the default budget, eight hours of versions take about 20 MB.
"""

from dataclasses import dataclass

from mem_vla_ros.core.errors import MemVlaError
from mem_vla_ros.memory.memory_budget import MemoryBudget

PERSON = 'person'


class UnknownVersion(MemVlaError):  # noqa: N818
    """A version was asked for that this episode's memory never had."""


@dataclass(frozen=True)
class MemoryVersion:
    """
    One text that the memory has had.

    :param source: Who wrote it: a backend's name, ``person``, ``recall`` or ``start``.
    :param stamp: Sensor time of the change [s].
    """

    number: int
    text: str
    source: str
    stamp: float

    @property
    def by_person(self) -> bool:
        """Return whether a person wrote it."""
        return self.source == PERSON


class MemoryState:
    """The memory text within its budget, and its history; version 0 is empty."""

    def __init__(self, budget: MemoryBudget, stamp: float = 0.0) -> None:
        self.budget = budget
        self._versions = [MemoryVersion(0, '', 'start', stamp)]

    @property
    def current(self) -> MemoryVersion:
        """Return the newest version."""
        return self._versions[-1]

    @property
    def text(self) -> str:
        """Return the memory as it is now."""
        return self.current.text

    @property
    def versions(self) -> tuple[MemoryVersion, ...]:
        """Return all versions, oldest first."""
        return tuple(self._versions)

    def write(self, text: str, source: str, stamp: float) -> MemoryVersion:
        """
        Make the text the memory; an unchanged text makes no new version.

        :raises TextRejected: if it is over the budget; the memory then stays as it was.
        """
        if text == self.text:
            return self.current
        line = self.budget.clean(text)
        if line != self.text:
            self._add(MemoryVersion(self.current.number + 1, line, source, stamp))
        return self.current

    def roll_back(self, number: int, stamp: float) -> MemoryVersion:
        """
        Make the text of an older version the memory again, as a new version by a person.

        :raises UnknownVersion: if there is no version of that number.
        """
        return self.write(self.version(number).text, PERSON, stamp)

    def version(self, number: int) -> MemoryVersion:
        """
        Return the version of that number.

        :raises UnknownVersion: if there is none.
        """
        for version in reversed(self._versions):
            if version.number == number:
                return version
        raise UnknownVersion(
            f'Memory has no version {number}. Known: {self._versions[0].number} '
            f'to {self.current.number}.')

    def restore(self, version: MemoryVersion) -> None:
        """
        Add a version that was read back from a journal; one already known is ignored.

        The budget is not applied: what was accepted before a restart is not lost by it.
        """
        if version.number > self.current.number:
            self._add(version)

    def _add(self, version: MemoryVersion) -> None:
        self._versions.append(version)
