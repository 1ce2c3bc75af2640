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

"""Everything that happened at one moment, such as a new subtask or a fault."""

from collections.abc import Mapping
from dataclasses import dataclass, field
import math
import threading
from typing import Any

from mem_vla_ros.core.text import escape_unsafe
from mem_vla_ros.inspector.track import Track

MAX_MARKS = 20_000
MAX_TEXT_CHARS = 4000


@dataclass(frozen=True)
class Mark:
    """
    Something that happened at one moment; never thinned out.

    :param number: Counts all marks from 0.
    :param kind: ``goal``, ``episode``, ``subtask``, ``memory``, ``score``, ``gate``, ``hold``,
        ``incident`` or ``edit``.
    """

    number: int
    time: float
    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)


class Timeline:
    """The newest marks in order, and by kind."""

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._marks: Track[Mark] = Track(MAX_MARKS, thin=False)
        self._by_kind: dict[str, Track[Mark]] = {}
        self._next_number = 0

    def add(self, time: float, kind: str, **data: Any) -> None:
        """Add the newest mark."""
        mark = Mark(self._next_number, time, kind, data)
        self._next_number += 1
        self._marks.append(time, mark)
        self._by_kind.setdefault(kind, Track(MAX_MARKS, thin=False)).append(time, mark)

    def add_incident(self, time: float, where: str, level: str, text: str) -> None:
        """Add something that went wrong, or right again with level ``ok``."""
        self.add(time, 'incident', where=one_line(where), level=level, text=one_line(text))

    def at(self, kind: str, time: float = math.inf) -> Mark | None:
        """Return the newest mark of the kind that is not after the time."""
        with self._lock:
            track = self._by_kind.get(kind)
            return track.at(time) if track is not None else None

    def since(self, number: int) -> list[Mark]:
        """Return the marks with this number or a greater one, oldest first."""
        with self._lock:
            newer = min(max(0, self._next_number - number), len(self._marks))
            return list(self._marks)[len(self._marks) - newer:]

    def of(self, kind: str) -> list[Mark]:
        """Return all marks of one kind, oldest first."""
        with self._lock:
            return list(self._by_kind.get(kind, ()))


def one_line(text: Any) -> str:
    """Return one harmless line: the topics are open to any writer."""
    return escape_unsafe(str(text)[:MAX_TEXT_CHARS]).strip()
