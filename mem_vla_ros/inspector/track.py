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

"""Values over time in bounded memory."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Generic, TypeVar

Value = TypeVar('Value')


class Track(Generic[Value]):
    """
    Values over time, oldest first, never more than ``capacity`` of them.

    A full track that thins drops every second value of its older half: the newest part stays
    complete and the past becomes coarser with age, but never ends. One that does not thin
    forgets its oldest tenth instead.
    """

    def __init__(self, capacity: int, thin: bool = True) -> None:
        self._capacity = capacity
        self._thin = thin
        self._times: list[float] = []
        self._values: list[Value] = []

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Value]:
        return iter(self._values)

    @property
    def last(self) -> Value | None:
        """Return the newest value."""
        return self._values[-1] if self._values else None

    def append(self, time: float, value: Value) -> list[Value]:
        """
        Add the newest value and return those that had to go.

        :param time: A time before the newest one counts as the newest one.
        """
        self._times.append(max(time, self._times[-1]) if self._times else time)
        self._values.append(value)
        return self.shrink() if len(self._values) > self._capacity else []

    def shrink(self) -> list[Value]:
        """Make room as the class says, and return the values that had to go."""
        if self._thin:
            gone = slice(1, max(2, len(self._values) // 2), 2)
        else:
            gone = slice(0, max(1, len(self._values) // 10))
        dropped = self._values[gone]
        del self._values[gone]
        del self._times[gone]
        return dropped

    def items(self) -> list[tuple[float, Value]]:
        """Return times and values, oldest first."""
        return list(zip(self._times, self._values, strict=True))

    def at(self, time: float) -> Value | None:
        """Return the newest value that is not after the time."""
        index = bisect_right(self._times, time)
        return self._values[index - 1] if index else None

    def between(self, start: float, end: float) -> list[Value]:
        """Return the values with ``start <= time <= end``."""
        return self._values[bisect_left(self._times, start):bisect_right(self._times, end)]
