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

"""Unpack groceries: take everything out of a bag that only the wrist camera can look into."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mem_vla_ros.sim.arm_limits import HOME
from mem_vla_ros.sim.kinematics import forward
from mem_vla_ros.sim.scene.arm import HAND_BODY, TOOL
from mem_vla_ros.sim.scene.fixtures import container, mat
from mem_vla_ros.sim.scene.part import Part
from mem_vla_ros.sim.scene.thing import box, Thing
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.tasks.task import Point, Task

BAG, HALF, RIM = (0.36, 0.16), 0.062, 0.19
ITEMS = tuple(
    box(f'{colour} package', (0.025, 0.02, 0.03), rgba)
    for colour, rgba in (('blue', '.15 .3 .95'), ('violet', '.5 .15 .95'), ('teal', '.1 .6 .85')))
SPOTS = ([0.32, -0.14], [0.22, -0.24], [0.32, -0.26])
OVER_BAG = [BAG[0] - 0.12, BAG[1] - 0.02, 0.24]
#: Where the first, second and third package stand: how many there are can be told by the places.
CORNERS = ((-0.03, -0.03), (0.03, 0.03), (-0.03, 0.03))
HOME_POINT = forward(HOME)[0]


class UnpackGroceries(Task):
    """One to three packages; a trip to the empty bag counts as a mistake."""

    name = 'unpack_groceries'
    goal = 'take all groceries out of the bag, then go home'
    ability = 'partial observability'
    remembered = 'what is left in the bag'
    chance = 1 / 3
    history = 4.0
    time_limit = 40.0
    travel_height = 0.26
    secrets = (1, 2, 3)

    def parts(self) -> list[Part]:
        """Return the bag, the mat and three packages."""
        return [container('bag', *BAG, (HALF, HALF), RIM, '.4 .3 .2'),
                mat('mat', 0.29, -0.21, 0.1, '.55 .65 .75'), *(item.part() for item in ITEMS)]

    def things(self) -> Sequence[Thing]:
        """Return the packages."""
        return ITEMS

    def reset(self, rng: np.random.Generator) -> None:
        """Put as many packages into the bag as the secret says."""
        self._unneeded, self._finished, self._started = False, False, False
        self._packed = [ITEMS[index].name for index in rng.permutation(3)[:self.secret]]
        self._spots = {name: SPOTS[index] for index, name in enumerate(self._packed)}
        for index, item in enumerate(ITEMS):
            if item.name not in self._packed:
                self.simulation.park(item.name, index)
        for name, corner, yaw in zip(
                self._packed, CORNERS, rng.uniform(-0.2, 0.2, 3), strict=False):
            self.simulation.place(
                name, np.array([BAG[0] + corner[0], BAG[1] + corner[1], 0.037]), yaw)

    def _inside(self, name: str) -> bool:
        offset = self.simulation.position(name) - [*BAG, 0.0]
        return bool(np.abs(offset[:2]).max() < HALF + 0.01 and offset[2] < RIM)

    def _left(self) -> list[str]:
        return [name for name in self._packed if self._inside(name)]

    def _unpacked(self) -> list[str]:
        return [name for name in self._packed if not self._inside(name)
                and name != self.grasping.held and self.simulation.position(name)[2] < 0.06]

    def update(self) -> None:
        """Note trips to the empty bag, and the return home."""
        tool = self.simulation.point(HAND_BODY, TOOL)
        self._started |= self.grasping.held is not None
        over_bag = np.hypot(*(tool[:2] - BAG)) < HALF + 0.02
        done = len(self._unpacked()) == len(self._packed)
        self._unneeded |= bool(done and over_bag)
        at_home = np.linalg.norm(tool - HOME_POINT) < 0.05
        self._finished |= bool(self._started and at_home and self.grasping.held is None)

    def places(self) -> dict[str, Point]:
        """Return the next free spot of the mat, and from where the wrist sees into the bag."""
        count = len(self._unpacked())
        return {'mat': [*SPOTS[min(count, 2)], 0.002], 'over the bag': OVER_BAG}

    def state(self) -> dict[str, Any]:
        """Return what is left in the bag."""
        return {'left': self._left(), 'unpacked': self._unpacked()}

    def score(self) -> Score:
        """Give one point for an empty bag and the arm at home."""
        unpacked = self._unpacked()
        complete = len(unpacked) == len(self._packed)
        failure = 'went back to the empty bag' if self._unneeded else ''
        if self._finished and not complete:
            failure = 'went home too early'
        details = {'packed': len(self._packed), 'unpacked': len(unpacked),
                   'finished': self._finished}
        success = complete and self._finished
        return self.make_score(
            details, float(success), success, failure,
            'arm not at home' if complete else 'bag not empty')
