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

"""Chopstick pick-up: find by trying how deep the chopstick lies in a box with a brush top."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mem_vla_ros.sim.scene.fixtures import container
from mem_vla_ros.sim.scene.part import Part, SOLID
from mem_vla_ros.sim.scene.thing import box, Thing
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.tasks.task import Point, Task

CHOPSTICK = box('chopstick', (0.055, 0.004, 0.004), '.9 .75 .4', 0.02)
LEVELS = {'high': 0.084, 'middle': 0.048, 'low': 0.012}
BIN = (0.22, -0.32)
HALF, RIM = (0.07, 0.05), 0.105
MAX_GRASPS = 3


class Chopstick(Task):
    """The brush hides at which of three heights the chopstick lies."""

    name = 'chopstick'
    goal = 'pick the chopstick out of the box and put it in the bin'
    ability = 'in-context adaptation'
    remembered = 'that the last grasp height missed'
    chance = 0.7
    history = 5.0
    time_limit = 40.0
    max_points = 2.0
    travel_height = 0.22
    secrets = tuple(LEVELS)

    def parts(self) -> list[Part]:
        """Return the box with platform and brush, the bin and the chopstick."""
        platform = (f'<body name="platform" pos="0 0 0"><geom type="box" rgba=".7 .7 .7 1" '
                    f'size="{HALF[0]} {HALF[1]} .003" {SOLID}/></body>')
        return [container('box', 0.34, 0.08, HALF, RIM, '.45 .5 .6', brush=True), Part(platform),
                container('bin', *BIN, (0.08, 0.08), 0.08, '.35 .35 .38'), CHOPSTICK.part()]

    def things(self) -> Sequence[Thing]:
        """Return the chopstick."""
        return (CHOPSTICK,)

    def reset(self, rng: np.random.Generator) -> None:
        """Put the box somewhere and the chopstick as deep as the secret says."""
        self._picked = False
        self._box = np.array([0.34 + rng.uniform(-0.03, 0.03), 0.08 + rng.uniform(-0.05, 0.05)])
        floor = LEVELS[self.secret]
        self.simulation.move_fixed('box', np.array([*self._box, 0.0]))
        self.simulation.move_fixed('platform', np.array([*self._box, floor - 0.003]))
        self.simulation.place(CHOPSTICK.name, np.array([*self._box, floor + 0.005]))

    def update(self) -> None:
        """Note when the chopstick is out of the box."""
        self._picked |= bool(self.simulation.position(CHOPSTICK.name)[2] > RIM
                             and self.grasping.held == CHOPSTICK.name)

    def _binned(self) -> bool:
        return self.rests_at(CHOPSTICK.name, BIN, 0.1)

    def places(self) -> dict[str, Point]:
        """Return the bin and the three heights to grasp at."""
        x, y = (round(float(value), 4) for value in self._box)
        return {'bin': [*BIN, 0.06],
                **{f'{level} level': [x, y, floor + 0.005] for level, floor in LEVELS.items()}}

    def state(self) -> dict[str, Any]:
        """Return how far it is; the levels that missed follow from the misses."""
        return {'picked': self._picked, 'binned': self._binned()}

    def score(self) -> Score:
        """Give one point for picking it up and one for the bin, within three grasps."""
        binned, misses = self._binned(), self.grasping.misses
        failure = f'missed {MAX_GRASPS} times' if misses >= MAX_GRASPS and not self._picked else ''
        details = {'picked': self._picked, 'binned': binned, 'misses': misses}
        points = int(self._picked) + int(binned and self._picked)
        return self.make_score(
            details, points, points == 2, failure,
            'not in the bin' if self._picked else 'not picked up')
