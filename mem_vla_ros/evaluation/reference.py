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

"""What the robot really did: where its joints were commanded to be, or were, over time."""

from dataclasses import dataclass

import numpy as np

from mem_vla_ros.core.types import BoolArray, FloatArray

# Between samples further apart the robot may have done anything.
LARGEST_GAP_S = 0.25


@dataclass(frozen=True)
class Reference:
    """
    Joint positions over time.

    :param source: ``command`` or ``joint_states``.
    :param times: Strictly increasing [s], shape (N,).
    :param positions: Shape (N, J), in the robot file's order.
    """

    source: str
    times: FloatArray
    positions: FloatArray

    @staticmethod
    def of(source: str, times: list[float], positions: list[FloatArray]) -> 'Reference | None':
        """Return the reference from samples in any order; None if there are less than two."""
        _, first = np.unique(np.asarray(times), return_index=True)
        if len(first) < 2:
            return None
        return Reference(source, np.asarray(times)[first], np.asarray(positions)[first])

    def at(self, times: FloatArray) -> tuple[FloatArray, BoolArray]:
        """
        Return the positions at some times, shape (M, J), and where they are known, shape (M,).

        They are known between two samples that are at most ``LARGEST_GAP_S`` apart.
        """
        after = np.clip(np.searchsorted(self.times, times), 1, len(self.times) - 1)
        gap = self.times[after] - self.times[after - 1]
        known = (
            (times >= self.times[0]) & (times <= self.times[-1]) & (gap <= LARGEST_GAP_S))
        values = np.stack(
            [np.interp(times, self.times, column) for column in self.positions.T], axis=1)
        return values, known
