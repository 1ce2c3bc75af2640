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

"""Open refrigerator: find by trying which of four grips opens the door."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mem_vla_ros.sim.scene.fridge import (
    door,
    fridge,
    grip_handles,
    GRIPS,
    hinge_for,
    hinge_position,
    HINGES,
    MIDDLE,
)
from mem_vla_ros.sim.scene.handle import Handle
from mem_vla_ros.sim.scene.part import Part
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.tasks.task import Point, Task

OPEN_ANGLE = 0.7
MAX_GRASPS = 4


class OpenRefrigerator(Task):
    """The hinge may be on either side, and the latch high or low."""

    name = 'open_refrigerator'
    goal = 'open the refrigerator'
    ability = 'in-context adaptation'
    remembered = 'that the door did not open this way'
    chance = 0.68
    history = 5.0
    time_limit = 40.0
    secrets = GRIPS

    def parts(self) -> list[Part]:
        """Return the refrigerator."""
        return [fridge()]

    def handles(self) -> Sequence[Handle]:
        """Return the grips of both doors."""
        return grip_handles()

    def reset(self, rng: np.random.Generator) -> None:
        """Hang the door on the side that the secret needs."""
        self._hinge = hinge_for(self.secret)
        self._held_for = 0.0
        other = next(hinge for hinge in HINGES if hinge != self._hinge)
        self.simulation.move_fixed(door(other), np.array([-2.5, 0.0, -2.0]))

    def update(self) -> None:
        """Unlock the door when the right grip is held."""
        held = self.grasping.held
        self._held_for = self._held_for + 0.02 if held else 0.0
        if held == f'{door(self._hinge)}, {self.secret} grip':
            self.simulation.release(f'{self._hinge} lock')

    def _angle(self) -> float:
        return abs(self.simulation.joint(f'{self._hinge} hinge'))

    def places(self) -> dict[str, Point]:
        """Return the grips, the hinge, and where the hand goes between two tries."""
        grips = {handle.name.split(', ')[1]: self.simulation.point(handle.body, handle.grasp)
                 for handle in grip_handles() if handle.body == door(self._hinge)}
        return {**{name: [round(float(value), 4) for value in point]
                   for name, point in grips.items()},
                'hinge': hinge_position(self._hinge), 'front of the door': [0.32, 0.0, MIDDLE]}

    def state(self) -> dict[str, Any]:
        """Return the door's angle and how it has been tried."""
        return {'angle': round(self._angle(), 3), 'grasps': self.grasping.grasps,
                'held_for': round(self._held_for, 2), 'opened': self._angle() > OPEN_ANGLE}

    def score(self) -> Score:
        """Give one point for an open door after at most four grasps."""
        grasps = self.grasping.grasps
        failure = f'needed more than {MAX_GRASPS} grasps' if grasps > MAX_GRASPS else ''
        success = self._angle() > OPEN_ANGLE
        details = {'grasps': grasps, 'angle_rad': round(self._angle(), 3)}
        return self.make_score(
            details, float(success and not failure), success, failure, 'door not open')
