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

"""Follower: turns a plan of waypoints into chunks of references, whatever happens in between."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mem_vla_ros.core.types import FloatArray
from mem_vla_ros.sim.arm_limits import LOWER, UPPER, VELOCITY
from mem_vla_ros.sim.experts.waypoint import Waypoint

# The reference is where the forecast said, up to this [rad].
_ON_TRACK = 0.12
# An arm this far behind its reference is stuck; wait for it, but not for ever.
_STUCK = 0.4
_PATIENCE = 1.0


@dataclass(frozen=True)
class _Progress:
    """How far a plan is: the next waypoint, and how long the arm has been there."""

    index: int
    dwelt: float


class Follower:
    """
    Follows one plan.

    Every chunk comes with a forecast of the plan's progress at each row. The next call looks up
    how far the forecast got; if the reference is not where it should be (the executor held, or
    was late), progress goes back to the row that the reference really stands at.
    """

    def __init__(self, plan: Sequence[Waypoint]) -> None:
        self._plan = list(plan)
        self._rows: list[FloatArray] = []
        self._forecast: list[_Progress] = [_Progress(0, 0.0)]
        self._start = 0.0
        self._stuck_since: float | None = None

    def finished(self, time: float, reference: FloatArray, dt: float) -> bool:
        """Return whether the last waypoint has been reached and dwelt at."""
        return self._locate(time, reference, dt).index >= len(self._plan)

    def chunk(
        self, time: float, position: FloatArray, reference: FloatArray, rows: int, dt: float,
    ) -> FloatArray:
        """
        Return the next references, shape (rows, 7); row 0 is the present one.

        :param position: Measured joint positions, shape (7,).
        :param reference: Where the reference is now, shape (7,).
        """
        progress = self._locate(time, reference, dt)
        waiting = self._is_stuck(time, position, reference)
        self._start = time
        self._rows, self._forecast = [reference.copy()], [progress]
        for _ in range(rows - 1):
            row, progress = self._rows[-1], self._forecast[-1]
            if not waiting:
                row, progress = self._advance(row, progress, dt)
            self._rows.append(row)
            self._forecast.append(progress)
        return np.array(self._rows)

    def _locate(self, time: float, reference: FloatArray, dt: float) -> _Progress:
        if not self._rows:
            return self._forecast[0]
        due = min(len(self._rows) - 1, int((time - self._start) / dt + 1e-6))
        distances = [np.abs(row[:6] - reference[:6]).max() for row in self._rows[:due + 1]]
        if distances[due] < _ON_TRACK:
            return self._forecast[due]
        return self._forecast[int(np.argmin(distances))]

    def _is_stuck(self, time: float, position: FloatArray, reference: FloatArray) -> bool:
        if np.abs(position[:6] - reference[:6]).max() < _STUCK:
            self._stuck_since = None
            return False
        if self._stuck_since is None:
            self._stuck_since = time
        return time - self._stuck_since < _PATIENCE

    def _advance(
        self, row: FloatArray, progress: _Progress, dt: float,
    ) -> tuple[FloatArray, _Progress]:
        if progress.index >= len(self._plan):
            return row, progress
        waypoint = self._plan[progress.index]
        target = row.copy()
        if waypoint.joints is not None:
            target[:6] = np.clip(waypoint.joints, LOWER[:6], UPPER[:6])
        target[6] = waypoint.gripper
        moved = _towards(row, target, waypoint.speed, dt)
        if np.abs(moved - target).max() > 1e-6:
            return moved, _Progress(progress.index, 0.0)
        dwelt = progress.dwelt + (dt if np.abs(moved - row).max() < 1e-6 else 0.0)
        if dwelt >= waypoint.dwell - 1e-6:
            return moved, _Progress(progress.index + 1, 0.0)
        return moved, _Progress(progress.index, dwelt)


def _towards(row: FloatArray, target: FloatArray, speed: float, dt: float) -> FloatArray:
    """Return the next row on a straight line in joint space; the fingers move on their own."""
    moved = target.copy()
    step = target[:6] - row[:6]
    largest = np.abs(step).max()
    if largest > speed * dt:
        moved[:6] = row[:6] + step * (speed * dt / largest)
    finger_step = 0.9 * VELOCITY[6] * dt
    moved[6] = row[6] + np.clip(target[6] - row[6], -finger_step, finger_step)
    return moved
