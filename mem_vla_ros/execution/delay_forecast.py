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

"""How long the next inference will take, counted in rows of the chunk."""

from collections import deque
import math

# A row that is due within this share of a step counts as not yet begun.
_ROUNDING = 1e-6


def steps_begun(elapsed: float, dt: float) -> int:
    """Return how many steps between rows have begun after ``elapsed`` seconds."""
    return max(0, math.ceil(elapsed / dt - _ROUNDING))


class DelayForecast:
    """
    Forecasts the next delay as the longest of the recent ones.

    :param size: How many delays are remembered.
    :param initial: Forecast before the first delay, such as that of the warm-up [steps].
    """

    def __init__(self, size: int = 10, initial: int = 0) -> None:
        self._recent: deque[int] = deque([initial], maxlen=size)

    def add(self, steps: int) -> None:
        """Remember the delay of the inference that just ended."""
        self._recent.append(steps)

    @property
    def steps(self) -> int:
        """Return the delay to expect [steps]."""
        return max(self._recent)
