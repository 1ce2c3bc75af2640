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
        self._stamps: list[float] = []
        self._values: list[T] = []
        self._keyframe: list[bool] = []

    def __len__(self) -> int:
        return len(self._stamps)

    def __getitem__(self, index: int) -> T:
        return self._values[index]

    @property
    def stamps(self) -> tuple[float, ...]:
        """Return the stamps, strictly increasing."""
        return tuple(self._stamps)

    @property
    def newest(self) -> float | None:
        """Return the newest stamp."""
        return self._stamps[-1] if self._stamps else None

    def append(self, stamp: float, value: T) -> None:
        """Add a value whose stamp is after all others, and drop what no query can choose."""
        self._keyframe.append(
            not self._stamps or not same_cell(self._stamps[-1], stamp, self._rule.grain))
        self._stamps.append(stamp)
        self._values.append(value)
        self._thin()

    def sample(self, query_time: float) -> Sampling:
        """Choose K values as of ``query_time``."""
        rule = self._rule
        return sample_history(
            self._stamps, query_time, rule.frames, rule.stride, rule.tolerance, rule.grain)

    def clear(self) -> None:
        """Forget everything."""
        self._stamps.clear()
        self._values.clear()
        self._keyframe.clear()

    def _thin(self) -> None:
        dense_from = self._stamps[-1] - self._dense_s
        oldest = dense_from - self._rule.span
        kept = [
            stamp >= dense_from or (keyframe and stamp >= oldest)
            for stamp, keyframe in zip(self._stamps, self._keyframe, strict=True)]
        if not all(kept):
            self._stamps = _select(self._stamps, kept)
            self._values = _select(self._values, kept)
            self._keyframe = _select(self._keyframe, kept)


def _select(items: list[T], kept: list[bool]) -> list[T]:
    return [item for item, keep in zip(items, kept, strict=True) if keep]
