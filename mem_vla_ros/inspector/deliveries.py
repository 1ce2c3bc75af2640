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

"""How regularly every input arrives."""

from collections import deque
from dataclasses import dataclass
from statistics import median

REMEMBERED = 64
RATE_WINDOW_S = 10.0
#: An input is late after this many of its usual intervals, but never sooner than the time below.
LATE_AFTER_INTERVALS = 5.0
LATE_AFTER_S = 1.0


@dataclass(frozen=True)
class Delivery:
    """State of one input at one moment."""

    name: str
    rate_hz: float
    age_s: float
    late: bool


class Deliveries:
    """Arrival times of every input, by name."""

    def __init__(self) -> None:
        self._arrivals: dict[str, deque[float]] = {}

    def arrived(self, name: str, time: float) -> None:
        """Note a message of the input."""
        self._arrivals.setdefault(name, deque(maxlen=REMEMBERED)).append(time)

    def at(self, time: float) -> tuple[Delivery, ...]:
        """Return the state of every input that has ever arrived, by name."""
        return tuple(_delivery(name, arrivals, time)
                     for name, arrivals in sorted(self._arrivals.items()))


def _delivery(name: str, arrivals: deque[float], time: float) -> Delivery:
    age_s = max(0.0, time - arrivals[-1])
    recent = [arrival for arrival in arrivals if arrival >= time - RATE_WINDOW_S]
    span_s = recent[-1] - recent[0] if recent else 0.0
    rate_hz = (len(recent) - 1) / span_s if span_s > 0.0 else 0.0
    times = list(arrivals)
    intervals = [after - before for before, after in zip(times, times[1:], strict=False)]
    usual_s = median(intervals) if intervals else LATE_AFTER_S
    late = age_s > max(LATE_AFTER_S, LATE_AFTER_INTERVALS * usual_s)
    return Delivery(name, rate_hz, age_s, late)
