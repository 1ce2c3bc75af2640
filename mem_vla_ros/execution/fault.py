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

"""Input faults as values: refused, counted and shown, never raised."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """
    One refused input.

    :param name: Stable name in snake_case, such as ``stale_image``; diagnostics count by it.
    :param detail: What was wrong, what was got, what is allowed.
    :param source: Camera or joint that it came from; empty if there is none.
    """

    name: str
    detail: str
    source: str = ''

    def __str__(self) -> str:
        source = f' [{self.source}]' if self.source else ''
        return f'{self.name}{source}: {self.detail}'


class FaultCounter:
    """Counts faults by name and keeps the last of each, for ``/diagnostics``."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._last: dict[str, Fault] = {}

    def add(self, fault: Fault | None) -> None:
        """Count the fault; None counts nothing, so that a check's answer can be passed on."""
        if fault is not None:
            self._counts[fault.name] = self._counts.get(fault.name, 0) + 1
            self._last[fault.name] = fault

    @property
    def counts(self) -> Mapping[str, int]:
        """Return how often each fault was seen, by name."""
        return dict(self._counts)

    @property
    def total(self) -> int:
        """Return how many faults were seen in all."""
        return sum(self._counts.values())

    def last(self, name: str) -> Fault | None:
        """Return the newest fault of that name."""
        return self._last.get(name)

    def summary(self) -> dict[str, str]:
        """Return name -> count and last detail, as key and value of a diagnostic."""
        return {
            name: f'{count} (last: {self._last[name].detail})'
            for name, count in sorted(self._counts.items())}
