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

"""Grilled cheese: close the sandwich, cook both sides long enough, flip between, plate."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mem_vla_ros.sim.scene.fixtures import mat
from mem_vla_ros.sim.scene.part import Part, SOLID, THING
from mem_vla_ros.sim.scene.thing import box, Thing
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.tasks.task import Point, Task

#: One simulated second of cooking stands for ten.
TIME_SCALE = 10.0
SHORTEST, LONGEST = 30.0 / TIME_SCALE, 180.0 / TIME_SCALE

PAN, PLATE, BOARD = (0.32, 0.0), (0.26, -0.26), (0.30, 0.22)
_PAN_TOP = 0.012
_HALF = 0.024
SANDWICH = Thing(
    'sandwich', f'''
<geom type="box" size="{_HALF} {_HALF} 0.009" rgba=".85 .65 .35 1" mass=".04" {THING}/>
<geom type="box" size="{_HALF} {_HALF} 0.002" pos="0 0 .011" rgba=".95 .8 .2 1" mass=".004"/>''',
    half_width=_HALF, grasp=(0.0, 0.0, 0.009), symmetry=4, rest_height=0.009)
SLICE = box('slice of bread', (_HALF, _HALF, 0.009), '.85 .65 .35', 0.03)
STICK = 'melted cheese'
PAN_PART = Part(f'''
<geom type="cylinder" size=".075 .006" pos="{PAN[0]} {PAN[1]} .006" rgba=".15 .15 .16 1" {SOLID}/>
<geom type="cylinder" size=".012 .06" pos="{PAN[0] + .13} {PAN[1]} .012" euler="0 1.5708 0"
 rgba=".3 .2 .15 1"/>
<geom type="cylinder" size=".065 .004" pos="{PLATE[0]} {PLATE[1]} .004"
 rgba=".95 .95 1 1" {SOLID}/>
''')


class GrilledCheese(Task):
    """Bread looks alike raw and grilled: only time tells."""

    name = 'grilled_cheese'
    goal = 'make a grilled cheese: close the sandwich, grill both sides, put it on the plate'
    ability = 'timing'
    remembered = 'how long each side has cooked, and whether it is flipped'
    chance = 0.09
    history = 6.0
    time_limit = 60.0
    max_points = 4.0
    travel_height = 0.14

    def parts(self) -> list[Part]:
        """Return pan, plate, board, the open sandwich and its upper slice."""
        weld = (f'<weld name="{STICK}" body1="{SANDWICH.name}" body2="{SLICE.name}"'
                ' active="false"/>')
        return [PAN_PART, mat('board', *BOARD, 0.06, '.6 .45 .3'), SANDWICH.part(), SLICE.part(),
                Part(equalities=weld)]

    def things(self) -> Sequence[Thing]:
        """Return the two halves."""
        return (SANDWICH, SLICE)

    def reset(self, rng: np.random.Generator) -> None:
        """Put the open sandwich into the pan and the slice on the board."""
        self._assembled = False
        self._cooked = {'first': 0.0, 'second': 0.0}
        jitter = rng.uniform(-0.012, 0.012, 4)
        self.simulation.place(SANDWICH.name, np.array(
            [PAN[0] + jitter[0] / 2, PAN[1] + jitter[1] / 2, _PAN_TOP + SANDWICH.rest_height]))
        self.simulation.place(SLICE.name, np.array(
            [BOARD[0] + jitter[2], BOARD[1] + jitter[3], 0.002 + SLICE.rest_height]))

    def update(self) -> None:
        """Melt the halves together, and cook the side that lies in the pan."""
        if not self._assembled and self.grasping.held is None and self._stacked():
            self.simulation.weld(STICK)
            self.grasping.blocked.add(SLICE.name)
            self._assembled = True
        if self._assembled and self._in_pan():
            side = 'first' if self.simulation.upright(SANDWICH.name) > 0 else 'second'
            self._cooked[side] += 0.02

    def _stacked(self) -> bool:
        offset = self.simulation.position(SLICE.name) - self.simulation.position(SANDWICH.name)
        return bool(np.abs(offset[:2]).max() < 0.03 and 0.01 < offset[2] < 0.03)

    def _in_pan(self) -> bool:
        position = self.simulation.position(SANDWICH.name)
        return bool(self.grasping.held is None and np.hypot(*(position[:2] - PAN)) < 0.07
                    and position[2] < _PAN_TOP + 0.045)

    def _flipped(self) -> bool:
        return self._assembled and self.simulation.upright(SANDWICH.name) < -0.7

    def _plated(self) -> bool:
        return self._assembled and self.rests_at(SANDWICH.name, PLATE, 0.065)

    def places(self) -> dict[str, Point]:
        """Return pan, plate and the top of the open sandwich."""
        top = self.simulation.position(SANDWICH.name) + [0.0, 0.0, 0.013]
        return {'pan': [*PAN, _PAN_TOP], 'plate': [*PLATE, 0.008],
                'sandwich': [round(float(value), 4) for value in top]}

    def state(self) -> dict[str, Any]:
        """Return how long each side has cooked [simulated s]."""
        return {'assembled': self._assembled, 'flipped': self._flipped(),
                'in_pan': self._in_pan(), 'plated': self._plated(),
                'cooked': {side: round(time, 2) for side, time in self._cooked.items()}}

    def score(self) -> Score:
        """Give a point each for assembling, cooking both sides right, flipping and plating."""
        cooked = all(SHORTEST <= time <= LONGEST for time in self._cooked.values())
        plated = self._plated()
        details = {'assembled': self._assembled, 'cooked_right': cooked and plated,
                   'flipped': self._flipped() or self._cooked['second'] > 0.5, 'plated': plated,
                   'cooked_s': {side: round(time * TIME_SCALE, 1)
                                for side, time in self._cooked.items()}}
        points = sum(bool(details[key])
                     for key in ('assembled', 'cooked_right', 'flipped', 'plated'))
        failure = ''
        if max(self._cooked.values()) > LONGEST:
            failure = 'burnt'
        elif plated and not cooked:
            failure = 'plated before both sides were cooked'
        missing = next((step for step in ('assembled', 'flipped') if not details[step]), 'plated')
        return self.make_score(
            details, points, points == self.max_points, failure, f'not {missing}')
