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

"""Scoop coffee: lid off, exactly two scoops of beans into the grinder, lid back on."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mem_vla_ros.sim.scene.fixtures import drum, mat
from mem_vla_ros.sim.scene.part import Part, THING
from mem_vla_ros.sim.scene.thing import cylinder, Thing
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.tasks.task import Point, Task

BOWL = (0.0, 0.0, -0.04)
SCOOP = Thing(
    'scoop', f'''
<geom type="box" size="0.022 0.022 0.008" pos="0 0 -0.042" rgba=".75 .75 .8 1" mass=".03" {THING}/>
<geom type="cylinder" size="0.006 0.045" pos="0 0 0.01" rgba=".75 .75 .8 1" mass=".01"/>
<geom name="beans" type="box" size="0.018 0.018 0.008" pos="0 0 -0.03" rgba=".3 .17 .08 0"
 mass=".001"/>''', half_width=0.006, grasp=(0.0, 0.0, 0.03), rest_height=0.05)
LID = cylinder('lid', 0.045, 0.006, '.5 .5 .55', grip=0.012)
BEANS_SHOWN, BEANS_GONE = (0.3, 0.17, 0.08, 1.0), (0.3, 0.17, 0.08, 0.0)
PACKAGE_TOP, GRINDER_TOP = 0.06, 0.10
WANTED_SCOOPS = 2


class ScoopCoffee(Task):
    """Beans in the grinder can't be seen, so scoops must be counted."""

    name = 'scoop_coffee'
    goal = 'put exactly two scoops of coffee beans into the grinder and close its lid'
    ability = 'counting'
    remembered = 'how many scoops are in'
    chance = 0.25
    history = 5.0
    time_limit = 45.0
    travel_height = 0.2

    def parts(self) -> list[Part]:
        """Return bean package, grinder, scoop and lid."""
        return [
            drum('package', (0.30, 0.16, PACKAGE_TOP / 2), 0.065, PACKAGE_TOP / 2, '.55 .5 .4',
                 '.3 .17 .08'),
            drum('grinder', (0.30, -0.12, GRINDER_TOP / 2), 0.05, GRINDER_TOP / 2, '.2 .2 .25',
                 '.02 .02 .02'),
            mat('coaster', 0.42, 0.04, 0.04, '.3 .5 .8'), SCOOP.part(), LID.part()]

    def things(self) -> Sequence[Thing]:
        """Return scoop and lid."""
        return (SCOOP, LID)

    def reset(self, rng: np.random.Generator) -> None:
        """Close the grinder and put the scoop somewhere near its coaster."""
        self._scoops, self._full, self._spilled, self._was_open = 0, False, 0, False
        self._lid_place = [0.24 + rng.uniform(-0.02, 0.02), -0.30 + rng.uniform(-0.02, 0.02), 0.0]
        jitter = rng.uniform(-0.015, 0.015, 2)
        self.simulation.place(
            SCOOP.name, np.array([0.42 + jitter[0], 0.04 + jitter[1], SCOOP.rest_height]))
        self.simulation.place(
            LID.name, np.array([0.30, -0.12, GRINDER_TOP + LID.rest_height]),
            rng.uniform(-0.4, 0.4))

    def update(self) -> None:
        """Fill the scoop in the package, empty it when it is tilted."""
        bowl = self.simulation.point(SCOOP.name, BOWL)
        tilted = self.simulation.upright(SCOOP.name) < 0.8
        if not self._full and not tilted and bowl[2] < PACKAGE_TOP + 0.03 and self._over(
                'package', bowl):
            self._full = True
        elif self._full and tilted:
            self._full = False
            into_grinder = self._over('grinder', bowl) and bowl[2] > GRINDER_TOP and self._lid_off
            self._scoops += into_grinder
            self._spilled += not into_grinder
        self._was_open |= self._lid_off
        self.simulation.paint('beans', BEANS_SHOWN if self._full else BEANS_GONE)

    def _over(self, fixture: str, point: np.ndarray) -> bool:
        return bool(np.hypot(*(point - self.simulation.position(fixture))[:2]) < 0.06)

    @property
    def _lid_off(self) -> bool:
        position = self.simulation.position(LID.name)
        return not self._over('grinder', position) or self.grasping.held == LID.name

    def places(self) -> dict[str, Point]:
        """Return where lid and scoop can be put."""
        return {'table': self._lid_place, 'coaster': [0.42, 0.04, 0.002],
                'grinder': [0.30, -0.12, GRINDER_TOP], 'package': [0.30, 0.16, PACKAGE_TOP]}

    def state(self) -> dict[str, Any]:
        """Return the count."""
        return {'scoops': self._scoops, 'full': self._full, 'lid_off': self._lid_off,
                'level': self.simulation.upright(SCOOP.name) > 0.97}

    def score(self) -> Score:
        """Give one point for two scoops and the lid on."""
        closed = self._was_open and not self._lid_off
        failure = ''
        if self._scoops > WANTED_SCOOPS:
            failure = 'too many scoops'
        elif closed and self._scoops < WANTED_SCOOPS:
            failure = 'too few scoops'
        success = closed and self._scoops == WANTED_SCOOPS
        details = {'scoops': self._scoops, 'spilled': self._spilled, 'closed': closed}
        return self.make_score(
            details, float(success), success, failure, f'{self._scoops} scoops, lid not on')
