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

"""Clean up counter: open a drawer, put everything in, close it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mem_vla_ros.sim.scene.cabinet import (
    cabinet,
    closed_position,
    drawer_handles,
    drawer_name,
    latch_drawers,
)
from mem_vla_ros.sim.scene.handle import Handle
from mem_vla_ros.sim.scene.part import Part
from mem_vla_ros.sim.scene.thing import box, Thing
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.tasks.task import Point, Task

ITEMS = (box('tape', (0.018, 0.018, 0.018), '.9 .75 .2'),
         box('stapler', (0.03, 0.014, 0.016), '.75 .2 .2'),
         box('eraser', (0.022, 0.014, 0.012), '.3 .6 .85'))
PLACE = 'top left'
DRAWER = drawer_name(PLACE)
SPOTS = ((0.14, 0.28), (0.20, 0.14), (0.22, -0.12), (0.28, -0.26))
SLOTS = (-0.055, 0.0, 0.055)


class CleanUpCounter(Task):
    """Everything is in sight."""

    name = 'clean_up_counter'
    goal = 'put everything on the counter into the top left drawer and close it'
    ability = 'dexterity without memory'
    remembered = 'nothing: memory must not hurt'
    chance = 1.0
    history = 0.0
    time_limit = 75.0
    max_points = 5.0
    travel_height = 0.3

    def parts(self) -> list[Part]:
        """Return cabinet and things."""
        return [cabinet(), *(item.part() for item in ITEMS)]

    def things(self) -> Sequence[Thing]:
        """Return what lies on the counter."""
        return ITEMS

    def handles(self) -> Sequence[Handle]:
        """Return the drawers' handles."""
        return drawer_handles()

    def reset(self, rng: np.random.Generator) -> None:
        """Lay the things on random spots."""
        self._opened = False
        for item, index in zip(ITEMS, rng.permutation(len(SPOTS)), strict=False):
            spot = np.array(SPOTS[index]) + rng.uniform(-0.015, 0.015, 2)
            self.simulation.place(
                item.name, np.array([*spot, item.rest_height]), rng.uniform(-0.4, 0.4))

    def update(self) -> None:
        """Let the catches work, and note that the drawer was opened."""
        latch_drawers(self.simulation)
        self._opened |= self._opening() > 0.1

    def _opening(self) -> float:
        return self.simulation.joint(f'{PLACE} slide')

    def _stored(self) -> list[str]:
        front = closed_position(PLACE) - [self._opening(), 0.0, 0.0]
        stored = []
        for item in ITEMS:
            offset = self.simulation.position(item.name) - front
            inside = 0.0 < offset[0] < 0.16 and abs(offset[1]) < 0.1 and abs(offset[2]) < 0.05
            if inside and self.grasping.held != item.name:
                stored.append(item.name)
        return stored

    def places(self) -> dict[str, Point]:
        """Return the next free slot in the drawer."""
        x, y, z = closed_position(PLACE)
        slot = SLOTS[min(len(self._stored()), 2)]
        return {DRAWER: [round(x + 0.07 - self._opening(), 4), round(y + slot, 4),
                         round(z - 0.03, 4)]}

    def state(self) -> dict[str, Any]:
        """Return what still lies on the counter."""
        stored = self._stored()
        return {'left': [item.name for item in ITEMS if item.name not in stored],
                'drawer': DRAWER, 'closed': self._opening() < 0.01}

    def score(self) -> Score:
        """Give a point for opening, one for each thing inside, and one for closing."""
        stored = self._stored()
        complete = len(stored) == len(ITEMS)
        closed = complete and self._opening() < 0.01
        details = {'opened': self._opened, 'stored': stored, 'closed': closed}
        return self.make_score(
            details, self._opened + len(stored) + closed, closed,
            missing='drawer not closed' if complete else f'{len(stored)} of {len(ITEMS)} stored')
