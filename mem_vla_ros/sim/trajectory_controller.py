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
The simulated robot's trajectory controller: what joint_trajectory_controller does on a real one.

A new trajectory replaces the old one outright. Before its first point the reference moves there
from where it stands; between points it follows the cubic that meets positions and velocities;
after the last point it rests.
"""

from dataclasses import dataclass

import numpy as np

from mem_vla_ros.core.types import FloatArray


@dataclass(frozen=True)
class Trajectory:
    """
    Timed points for all joints.

    :param times: Absolute times of the points [s], strictly increasing, shape (P,).
    :param positions: Shape (P, J).
    :param velocities: Shape (P, J).
    """

    times: FloatArray
    positions: FloatArray
    velocities: FloatArray


class TrajectoryController:
    """Turns the newest trajectory into a position reference for any moment."""

    def __init__(self, position: FloatArray) -> None:
        self._trajectory: Trajectory | None = None
        self._reference = position.copy()

    def reset(self, position: FloatArray) -> None:
        """Forget the trajectory and rest at a position."""
        self._trajectory = None
        self._reference = position.copy()

    def follow(self, trajectory: Trajectory, now: float) -> None:
        """Replace the running trajectory; points that are already past are left out."""
        ahead = trajectory.times > now
        if not np.any(ahead):
            return
        start = self.reference(now)
        first = int(np.argmax(ahead))
        velocity = (trajectory.velocities[first - 1] if first > 0
                    else np.zeros_like(start))
        self._trajectory = Trajectory(
            np.concatenate([[now], trajectory.times[ahead]]),
            np.concatenate([start[None], trajectory.positions[ahead]]),
            np.concatenate([velocity[None], trajectory.velocities[ahead]]))

    def reference(self, now: float) -> FloatArray:
        """Return where the joints shall be now, shape (J,)."""
        trajectory = self._trajectory
        if trajectory is None:
            return self._reference
        if now >= trajectory.times[-1]:
            self._reference = trajectory.positions[-1]
            self._trajectory = None
            return self._reference
        index = max(int(np.searchsorted(trajectory.times, now, side='right')) - 1, 0)
        self._reference = _cubic(trajectory, index, now)
        return self._reference


def _cubic(trajectory: Trajectory, index: int, now: float) -> FloatArray:
    begin, end = trajectory.times[index], trajectory.times[index + 1]
    span = end - begin
    s = min(max((now - begin) / span, 0.0), 1.0)
    p0, p1 = trajectory.positions[index], trajectory.positions[index + 1]
    v0, v1 = trajectory.velocities[index] * span, trajectory.velocities[index + 1] * span
    return np.asarray(
        (2 * s**3 - 3 * s**2 + 1) * p0 + (s**3 - 2 * s**2 + s) * v0
        + (-2 * s**3 + 3 * s**2) * p1 + (s**3 - s**2) * v1, dtype=np.float64)
