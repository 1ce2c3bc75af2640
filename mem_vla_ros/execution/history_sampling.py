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
Which frames of a stream a policy sees: K of them, a stride apart, chosen by stamps.

Training data and the running robot call the same function, so that a policy sees the same
frames in both. The rule, for a query at time T:

- Only stamps up to T count: a policy never sees the future.
- Slot 0 is the newest of them.
- Slot k is the one nearest to ``T - k * stride`` among the *keyframes*: the first frame of each
  cell of the time grid ``[n * grain, (n + 1) * grain)``.
- Whatever is further than ``tolerance`` from its target, or would be used twice, is padding.

Keyframes are what makes both sides equal: whether a frame is one depends on its own stamp and
the one before alone, so a robot can throw all others away as they age, and still choose exactly
as from the full recording. The price is a spacing error of at most half a grain and half a
frame period.
"""

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.types import BoolArray, FloatArray

# Cells begin a little early, so that stamps on the grid stay in their cell whatever the rounding.
_GRID_LEAD = 1e-3


class Sampling(NamedTuple):
    """
    Choice of K frames, oldest first.

    :param indices: Index into the stamps, shape (K,); -1 where padded.
    :param valid: False where padded, shape (K,).
    :param error: Largest distance of a chosen frame from the time it stands for [s].
    """

    indices: NDArray[np.intp]
    valid: BoolArray
    error: float


@dataclass(frozen=True)
class SamplingRule:
    """
    The settings of :func:`sample_history`, checked.

    :param frames: Frames that the policy wants, the current one included (K).
    :param stride: Time between them [s].
    :param tolerance: Largest distance of a frame from its target [s].
    :param grain: Width of a cell of the keyframe grid [s], at most half a stride.
    """

    frames: int
    stride: float
    tolerance: float
    grain: float

    def __post_init__(self) -> None:
        # CHECK: there is a current frame
        if self.frames < 1:
            raise ConfigError(f'frames must be at least 1. Got {self.frames}.')
        # CHECK: times are positive
        for name in ('stride', 'tolerance', 'grain'):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0.0):
                raise ConfigError(f'{name} must be above 0 seconds. Got {value}.')
        # CHECK: keyframes are closer than the frames wanted
        if self.grain > self.stride / 2:
            raise ConfigError(
                f'grain must be at most half of the stride of {self.stride} s. '
                f'Got {self.grain}.')

    @staticmethod
    def of(
        frames: int, stride: float, tolerance: float | None = None, grain: float | None = None,
    ) -> 'SamplingRule':
        """Return the rule, by default with half a stride of tolerance and a fifth as grain."""
        return SamplingRule(
            frames, stride,
            stride / 2 if tolerance is None else tolerance,
            stride / 5 if grain is None else grain)

    @property
    def span(self) -> float:
        """Return how far back a frame may lie and still be chosen [s]."""
        return (self.frames - 1) * self.stride + self.tolerance


def sample_history(
    stamps: Sequence[float] | FloatArray, query_time: float, frames: int, stride: float,
    tolerance: float | None = None, grain: float | None = None,
) -> Sampling:
    """
    Choose the frames that a policy sees at ``query_time``.

    :param stamps: Strictly increasing [s]; those after ``query_time`` are ignored.
    :param tolerance: Half a stride if None.
    :param grain: A fifth of the stride if None.
    """
    rule = SamplingRule.of(frames, stride, tolerance, grain)
    past = np.asarray(stamps, dtype=np.float64)
    past = past[:np.searchsorted(past, query_time, side='right')]
    indices = np.full(frames, -1, dtype=np.intp)
    if len(past) == 0:
        return Sampling(indices, indices >= 0, 0.0)
    keys = keyframes(past, rule.grain)
    targets = query_time - stride * np.arange(frames, dtype=np.float64)
    chosen = keys[_nearest(past[keys], targets)]
    chosen[0] = len(past) - 1
    errors = np.abs(past[chosen] - targets)
    used = len(past)
    for slot in np.flatnonzero(errors <= rule.tolerance):
        if chosen[slot] < used:
            indices[slot] = used = chosen[slot]
    valid = indices >= 0
    return Sampling(indices[::-1], valid[::-1], float(errors[valid].max(initial=0.0)))


def keyframes(stamps: FloatArray, grain: float) -> NDArray[np.intp]:
    """Return the indices of the first stamp of each grid cell, from increasing stamps."""
    cells = np.floor(stamps / grain + _GRID_LEAD)
    return np.flatnonzero(np.diff(cells, prepend=np.nan) != 0)


def same_cell(first: float, second: float, grain: float) -> bool:
    """Return whether two stamps share a cell, so that the later one is no keyframe."""
    return math.floor(first / grain + _GRID_LEAD) == math.floor(second / grain + _GRID_LEAD)


def _nearest(stamps: FloatArray, targets: FloatArray) -> NDArray[np.intp]:
    """Return for each target the index of the nearest stamp, the older one of two equals."""
    after = np.clip(np.searchsorted(stamps, targets), 1, max(1, len(stamps) - 1))
    if len(stamps) == 1:
        return np.zeros(len(targets), dtype=np.intp)
    later = stamps[after] - targets < targets - stamps[after - 1]
    return np.where(later, after, after - 1)
