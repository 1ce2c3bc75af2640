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

"""SceneView: the oracle's message, read for planning."""

from collections.abc import Mapping
import math
from typing import Any

import numpy as np

from mem_vla_ros.core.errors import PolicyError
from mem_vla_ros.core.types import FloatArray
from mem_vla_ros.sim.arm_limits import HOME
from mem_vla_ros.sim.kinematics import (
    DOWN,
    FORWARD,
    forward,
    inverse,
    inverse_symmetric,
    tool_rotation,
)

_HOME_POINT = forward(HOME)[0]


class SceneView:
    """Poses of things, handles and places, and the joints that reach them."""

    def __init__(self, oracle: Mapping[str, Any]) -> None:
        self._oracle = oracle

    @property
    def held(self) -> str | None:
        """Return what the gripper holds."""
        return self._oracle['held']

    def carries(self, name: str) -> bool:
        """Return whether the gripper holds a thing and has lifted it."""
        return self.held == name and self._oracle['lifted']

    @property
    def misses(self) -> int:
        """Return how often the fingers have closed on nothing."""
        return self._oracle['misses']

    @property
    def still(self) -> bool:
        """Return whether the arm is at rest."""
        return self._oracle['still']

    @property
    def tool(self) -> FloatArray:
        """Return where the finger tips are."""
        return np.array(self._oracle['tool'])

    @property
    def state(self) -> Mapping[str, Any]:
        """Return the task's own part."""
        return self._oracle['state']

    @property
    def things(self) -> list[str]:
        """Return the names of all things."""
        return list(self._oracle['things'])

    def thing(self, name: str) -> Mapping[str, Any]:
        """
        Return the entry of a thing.

        :raises PolicyError: if there is none.
        """
        return self._entry('things', name)

    @property
    def handles(self) -> list[str]:
        """Return the names of all handles."""
        return list(self._oracle['handles'])

    def handle(self, name: str) -> Mapping[str, Any]:
        """Return the entry of a handle; raises like ``thing``."""
        return self._entry('handles', name)

    def place(self, name: str) -> FloatArray:
        """Return the middle of a named surface; raises like ``thing``."""
        return np.array(self._entry('places', name))

    def _entry(self, kind: str, name: str) -> Any:
        entries = self._oracle[kind]
        if name not in entries:
            raise PolicyError(f'No {name!r} among the {kind}. Known: {sorted(entries)}.')
        return entries[name]

    def above(self, point: FloatArray, lift: float = 0.1) -> FloatArray:
        """Return the point over it from which it is approached, above all furniture."""
        return np.array([point[0], point[1], max(point[2] + lift, self._oracle['travel'])])

    def rests_at(self, point: FloatArray, tolerance: float = 0.05) -> bool:
        """Return whether the hand stands still at a point."""
        return self.still and bool(np.linalg.norm(self.tool - point) < tolerance)

    def is_home(self) -> bool:
        """Return whether the hand is where every episode starts."""
        return self.rests_at(_HOME_POINT)

    def is_open(self, handle: str) -> bool:
        """Return whether a drawer is far enough open to reach into."""
        return self.handle(handle)['open'] > 0.1

    def is_shut(self, handle: str) -> bool:
        """Return whether a drawer is closed to the end."""
        return self.handle(handle)['open'] < 0.01

    def hand_is_clear(self, handle: str) -> bool:
        """Return whether the hand has let go of a handle and moved away from it."""
        distance = np.linalg.norm(self.tool - self.handle(handle)['at'])
        return self.held is None and bool(distance > 0.05)

    def hand_is_free(self) -> bool:
        """Return whether the hand holds nothing and is away from all things."""
        distances = [np.linalg.norm(self.tool - thing['at'])
                     for thing in self._oracle['things'].values()]
        return self.held is None and bool(min(distances, default=1.0) > 0.05)

    def grasp_heading(self, name: str) -> float:
        """Return the heading of a hand from above that closes across the thing."""
        thing = self.thing(name)
        radial = math.atan2(thing['at'][1], thing['at'][0])
        if thing['symmetry'] == 0:
            return radial
        period = 2 * math.pi / thing['symmetry']
        return thing['yaw'] + round((radial - thing['yaw']) / period) * period


def from_above(point: FloatArray, heading: float | None = None) -> FloatArray:
    """
    Return arm joints that bring the tool to a point from above.

    :param heading: Direction across which the fingers close; None takes the arm's own.
    """
    if heading is None:
        heading = math.atan2(point[1], point[0])
    return inverse_symmetric(point, tool_rotation(DOWN, heading))


def tilted(point: FloatArray, tilt: float) -> FloatArray:
    """Return arm joints for a hand from above that leans outwards by an angle."""
    return inverse(point, tool_rotation(DOWN - tilt, math.atan2(point[1], point[0])))


def from_front(point: FloatArray, heading: float = 0.0, roll: float = 0.0) -> FloatArray:
    """Return arm joints that bring the tool to a point horizontally."""
    return inverse(point, tool_rotation(FORWARD, heading, roll))
