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
Joint positions over time, and the three things a player does with them: blend, limit, brake.

Braking runs the motion ever more slowly until it stands. The arm thus stops on the path that was
checked, and nowhere else: inside the limits, without cutting a corner.
"""

from dataclasses import dataclass

import numpy as np

from mem_vla_ros.core.types import ActionChunk, FloatArray


@dataclass(frozen=True)
class Motion:
    """
    Positions that move linearly between knots and rest before the first and after the last.

    :param times: Strictly increasing [s], shape (N,).
    :param positions: Shape (N, J).
    """

    times: FloatArray
    positions: FloatArray

    @staticmethod
    def rest(position: FloatArray, now: float) -> 'Motion':
        """Return a motion that stands at one position."""
        return Motion(np.array([now]), np.array([position], dtype=np.float64))

    @staticmethod
    def of(chunk: ActionChunk) -> 'Motion':
        """Return the motion that a chunk describes."""
        return Motion(chunk.times, chunk.positions)

    @property
    def end(self) -> float:
        """Return the time from which it rests [s]."""
        return float(self.times[-1])

    def at(self, times: FloatArray | float) -> FloatArray:
        """Return the positions at the times, shape (J,) for one time, else (len(times), J)."""
        if len(self.times) == 1:
            return np.broadcast_to(
                self.positions[0], (*np.shape(times), self.positions.shape[1])).copy()
        clipped = np.clip(times, self.times[0], self.times[-1])
        after = np.clip(np.searchsorted(self.times, clipped), 1, len(self.times) - 1)
        span = self.times[after] - self.times[after - 1]
        share = ((clipped - self.times[after - 1]) / span)[..., None]
        before = self.positions[after - 1]
        positions: FloatArray = before + share * (self.positions[after] - before)
        return positions

    def velocities(self, times: FloatArray, width: float) -> FloatArray:
        """Return the mean velocity over ``width`` seconds around each time."""
        half = width / 2
        velocities: FloatArray = (self.at(times + half) - self.at(times - half)) / width
        return velocities

    def braked(self, start: float, duration: float, dt: float) -> 'Motion':
        """
        Return this motion until ``start``, then slowing down evenly until it rests.

        It rests at ``start + duration``, where the original is at ``start + duration / 2``.
        """
        elapsed = np.linspace(0.0, duration, max(2, round(duration / dt) + 1))
        slowed = self.at(start + elapsed - elapsed ** 2 / (2 * duration))
        before = self.times < start - 1e-9
        return Motion(
            np.concatenate([self.times[before], start + elapsed]),
            np.concatenate([self.positions[before], slowed]))

    def shifted(self, seconds: float) -> 'Motion':
        """Return the same motion, later by some seconds."""
        return Motion(self.times + seconds, self.positions)


def splice(old: Motion, new: Motion, now: float, blend_s: float, dt: float) -> Motion:
    """
    Return a motion that follows ``old`` up to now and ``new`` from ``now + blend_s`` on.

    Between them the weight moves smoothly from one to the other. Where both coincide, as on the
    committed part of real-time chunking, this changes nothing.
    """
    times = now + dt * np.arange(-1, max(1, np.ceil((new.end - now) / dt)) + 1)
    share = np.clip((times - now) / max(blend_s, 1e-6), 0.0, 1.0)
    weight = (share ** 2 * (3.0 - 2.0 * share))[:, None]
    before = old.at(times)
    return Motion(times, before + weight * (new.at(times) - before))


def limit_speed(motion: Motion, velocity: FloatArray) -> Motion:
    """Return the motion that follows this one as closely as the largest velocities allow."""
    positions = motion.positions.copy()
    reach = np.diff(motion.times)[:, None] * velocity
    for row in range(1, len(positions)):
        step = positions[row] - positions[row - 1]
        positions[row] = positions[row - 1] + np.clip(step, -reach[row - 1], reach[row - 1])
    return Motion(motion.times, positions)
