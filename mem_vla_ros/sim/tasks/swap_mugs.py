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

"""Swap mugs: three equal mugs, one after the other, under the coffee machine."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mem_vla_ros.sim.scene.fixtures import block, mat
from mem_vla_ros.sim.scene.part import Part
from mem_vla_ros.sim.scene.thing import cylinder, Thing
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.tasks.task import Point, Task

MUGS = tuple(cylinder(f'mug {number}', 0.026, 0.035, '.15 .25 .6', 0.1) for number in (1, 2, 3))
TRAY = [0.40, 0.0, 0.002]
SPOTS = ([0.20, 0.30], [0.34, 0.24], [0.32, -0.24], [0.18, -0.30])


class SwapMugs(Task):
    """Mug 1 starts under the machine; which of the equal mugs have been there is not visible."""

    name = 'swap_mugs'
    goal = 'put all three mugs under the coffee machine, one after the other'
    ability = 'partial observability, several objects'
    remembered = 'which mugs have been under the machine, and where they stand'
    chance = 0.5
    history = 11.0
    time_limit = 45.0
    max_points = 3.0
    travel_height = 0.16
    #: At which of two spots the last mug starts; mug 1 is put to the other one.
    secrets = (0, 1)

    def parts(self) -> list[Part]:
        """Return the machine, its tray and three mugs."""
        return [
            block('machine column', (0.52, 0.0, 0.14), (0.05, 0.08, 0.14), '.2 .2 .22'),
            block('machine spout', (0.46, 0.0, 0.25), (0.02, 0.05, 0.02), '.3 .3 .33'),
            mat('tray', TRAY[0], TRAY[1], 0.045, '.4 .4 .45'), *(mug.part() for mug in MUGS)]

    def things(self) -> Sequence[Thing]:
        """Return the mugs."""
        return MUGS

    def reset(self, rng: np.random.Generator) -> None:
        """
        Put mug 1 under the machine, the others on two of four spots, and choose free ones.

        Mug 2 gets the first spot of those that are used, so that whoever takes the first waiting
        mug in the order of the spots always knows which one that is.
        """
        self._served = {MUGS[0].name: True, MUGS[1].name: False, MUGS[2].name: False}
        self._repeated = False
        self._last = MUGS[0].name
        order = rng.permutation(4)
        order[:3] = np.roll(order[:3], 2 - order[:3].argmin())
        spots = np.array(SPOTS)[order] + rng.uniform(-0.015, 0.015, (4, 2))
        self._spots = spots[np.argsort(order)].tolist()
        self._free = [spots[1 - self.secret].tolist(), spots[3].tolist()]
        for mug, spot in zip(MUGS, (TRAY[:2], spots[2], spots[self.secret]), strict=True):
            self.simulation.place(mug.name, np.array([*spot, mug.rest_height]))

    def update(self) -> None:
        """Note which mug stands on the tray."""
        for mug in self._served:
            if not self._on_tray(mug):
                continue
            if self._served[mug] and mug != self._last:
                self._repeated = True
            self._served[mug], self._last = True, mug

    def _on_tray(self, mug: str) -> bool:
        return self.rests_at(mug, TRAY, 0.05) and self._is_upright(mug)

    def _is_upright(self, mug: str) -> bool:
        return self.simulation.upright(mug) > 0.9

    def _occupant(self) -> str | None:
        """Return the mug that is on the tray or still held over it."""
        for mug in self._served:
            if np.hypot(*(self.simulation.position(mug) - TRAY)[:2]) < 0.06:
                return mug
        return None

    def places(self) -> dict[str, Point]:
        """Return the tray, the table spot to clear it to, and all spots by their names."""
        away = sum(self._served.values()) - 1
        spot = self._free[min(1, max(0, away))]
        names = ('near left', 'far left', 'far right', 'near right')
        return {'tray': TRAY, 'table': [*spot, 0.0], **{
            name: [*place, 0.0] for name, place in zip(names, self._spots, strict=True)}}

    def state(self) -> dict[str, Any]:
        """Return which mugs have been served and which is next."""
        waiting = [mug for mug in self._served if not self._served[mug]]
        return {'served': [mug for mug, done in self._served.items() if done],
                'next': waiting[0] if waiting else None, 'occupant': self._occupant()}

    def score(self) -> Score:
        """Give one point for each mug that has stood under the machine, in any order."""
        fallen = [mug for mug in self._served
                  if not self._is_upright(mug) and self.grasping.held != mug]
        failure = 'tipped a mug over' if fallen else ''
        failure = failure or ('served a mug twice' if self._repeated else '')
        points = sum(self._served.values())
        details = {'served': [mug for mug, done in self._served.items() if done],
                   'repeated': self._repeated, 'fallen': fallen}
        return self.make_score(
            details, points, points == self.max_points, failure,
            f'{points} of {len(self._served)} mugs served')
