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

"""Grasping: what the gripper holds."""

from collections.abc import Sequence

import numpy as np

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.types import FloatArray
from mem_vla_ros.sim.scene.arm import HAND_BODY, TOOL
from mem_vla_ros.sim.scene.handle import Handle
from mem_vla_ros.sim.scene.thing import Thing
from mem_vla_ros.sim.simulation import Simulation

# Half the grasp zone in the frame of the hand: across the fingers' width, from finger to finger,
# and along them. Sideways it is as wide as the fingers open: what they meet they sweep in.
_ZONE = (0.035, 0.035, 0.03)
_SLACK = 0.002
_LIFTED = 0.06


class Grasping:
    """
    A thing whose width the closing fingers meet is welded to the hand, where it is.

    Nothing jumps: the fingers only centre it between them, as parallel jaws do. While it is held
    the fingers stop at its width; opening them wider lets go.

    ``blocked`` names what can't be grasped any more, because it has become a part of another
    thing.

    :param slip: Share of the grasps in which the fingers close without holding anything.
    """

    def __init__(
        self, simulation: Simulation, things: Sequence[Thing], handles: Sequence[Handle],
        slip: float = 0.0,
    ) -> None:
        # CHECK: the share is one
        if not 0.0 <= slip <= 1.0:
            raise ConfigError(f'slip must be between 0 and 1. Got {slip}.')
        self._simulation = simulation
        self._slip = slip
        self._targets: dict[str, Thing | Handle] = {
            **{thing.name: thing for thing in things},
            **{handle.name: handle for handle in handles}}
        self.reset(np.random.default_rng(0))

    def reset(self, rng: np.random.Generator) -> None:
        """Hold nothing; the generator says which grasps of the episode slip."""
        self._rng = rng
        self.held: str | None = None
        self.blocked: set[str] = set()
        self.misses = 0
        self.grasps = 0
        self.lifted = False
        self._grasp_height = 0.0
        self._last_opening = 0.0
        self._open = False

    def _tool_height(self) -> float:
        return float(self._simulation.point(HAND_BODY, TOOL)[2])

    def update(self, reference: float) -> float:
        """
        Grasp or let go, and return the opening at which the fingers are stopped [m].

        :param reference: Opening that the gripper is asked for [m].
        """
        opening = self._simulation.joint('gripper')
        if self.held is not None and reference > self._targets[self.held].half_width + _SLACK:
            self._simulation.release(self._targets[self.held].hold)
            self.held = None
        if self.held is None and opening < self._last_opening:
            self._try_to_hold(opening)
        self._count_misses(opening)
        self._last_opening = opening
        self.lifted = self.held is not None and (
            self.lifted or self._tool_height() > self._grasp_height + _LIFTED)
        return 0.0 if self.held is None else self._targets[self.held].half_width

    def _try_to_hold(self, opening: float) -> None:
        nearest, distance = None, np.inf
        for name, target in self._targets.items():
            # Only what the fingers meet between the last look and this one.
            if name in self.blocked or not (
                    opening <= target.half_width + 0.001 < self._last_opening):
                continue
            offset = self._offset(target)
            inside = np.abs(offset) <= _ZONE
            if inside.all() and np.linalg.norm(offset) < distance:
                nearest, distance = name, float(np.linalg.norm(offset))
        if nearest is not None and self._rng.random() >= self._slip:
            self._hold(nearest)

    def _offset(self, target: Thing | Handle) -> FloatArray:
        point = self._simulation.point(target.body, target.grasp)
        hand = self._simulation.rotation(HAND_BODY)
        return hand.T @ (point - self._simulation.position(HAND_BODY)) - TOOL

    def _hold(self, name: str) -> None:
        target = self._targets[name]
        if isinstance(target, Handle):
            self._simulation.connect(
                target.hold, self._simulation.point(target.body, target.grasp))
        else:
            centring = np.array([0.0, -self._offset(target)[1], 0.0])
            self._simulation.weld(target.hold, centring)
        self.held = name
        self.grasps += 1
        self._grasp_height = self._tool_height()

    def _count_misses(self, opening: float) -> None:
        if opening > 0.015:
            self._open = True
        elif self._open and (self.held is not None or opening < 0.003):
            self._open = False
            self.misses += self.held is None
