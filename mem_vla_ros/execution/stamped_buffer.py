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

"""Stamped values of one sensor: the last moment in full, the past thinned to keyframes."""

from collections import deque
from typing import Generic, TypeVar

from mem_vla_ros.execution.history_sampling import (
    same_cell,
    sample_history,
    Sampling,
    SamplingRule,
)

T = TypeVar('T')


class StampedBuffer(Generic[T]):
    """
    Values in the order of their stamps, with no more of them than the rule can ever choose.

    :param dense_s: Everything younger than this is kept, so that a query may lag behind the
        newest stamp by as much [s].
    """

    def __init__(self, rule: SamplingRule, dense_s: float) -> None:
        self._rule = rule
        self._dense_s = dense_s
        self._keyframes: deque[tuple[float, T]] = deque()
        self._recent: deque[tuple[float, T, bool]] = deque()

    def __len__(self) -> int:
        return len(self._keyframes) + len(self._recent)

    def __getitem__(self, index: int) -> T:
        if index < len(self._keyframes):
            return self._keyframes[index][1]
        return self._recent[index - len(self._keyframes)][1]

    @property
    def stamps(self) -> tuple[float, ...]:
        """Return the stamps, strictly increasing."""
        return (*(stamp for stamp, _ in self._keyframes), *(entry[0] for entry in self._recent))

    @property
    def newest(self) -> float | None:
        """Return the newest stamp."""
        return self._recent[-1][0] if self._recent else None

    def append(self, stamp: float, value: T) -> None:
        """Add a value whose stamp is after all others, and drop what no query can choose."""
        newest = self.newest
        keyframe = newest is None or not same_cell(newest, stamp, self._rule.grain)
        self._recent.append((stamp, value, keyframe))
        dense_from = stamp - self._dense_s
        while self._recent[0][0] < dense_from:
            old_stamp, old_value, was_keyframe = self._recent.popleft()
            if was_keyframe:
                self._keyframes.append((old_stamp, old_value))
        while self._keyframes and self._keyframes[0][0] < dense_from - self._rule.span:
            self._keyframes.popleft()

    def sample(self, query_time: float) -> Sampling:
        """Choose K values as of ``query_time``."""
        rule = self._rule
        return sample_history(
            self.stamps, query_time, rule.frames, rule.stride, rule.tolerance, rule.grain)

    def clear(self) -> None:
        """Forget everything."""
        self._keyframes.clear()
        self._recent.clear()
