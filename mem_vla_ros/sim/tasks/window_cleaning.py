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

"""Window cleaning: spray, take a towel, wipe every part once, throw the towel away."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mem_vla_ros.sim.scene.fixtures import block, container, mat
from mem_vla_ros.sim.scene.part import Part
from mem_vla_ros.sim.scene.thing import box, cylinder, Thing
from mem_vla_ros.sim.scene.window import Coverage, PANE_X, part_middle, PARTS, WINDOW_PART
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.tasks.task import Point, Task

SPRAY = cylinder('spray bottle', 0.02, 0.05, '.2 .45 .85', 0.1)
TOWEL = box('paper towel', (0.025, 0.02, 0.025), '.97 .97 .97', 0.03)
TRASH = (0.10, -0.36)
SPRAY_REST, TOWEL_REST = (0.16, 0.32), (0.28, 0.30)
WIPED = 0.6


class WindowCleaning(Task):
    """Clean glass looks like dirty glass: the wiped parts must be remembered."""

    name = 'window_cleaning'
    goal = 'clean the window: spray it, wipe all of it with a paper towel, throw the towel away'
    ability = 'spatial memory'
    remembered = 'which parts are wiped'
    chance = 0.29
    history = 8.0
    time_limit = 40.0
    travel_height = 0.2

    def parts(self) -> list[Part]:
        """Return window, spray, towel and trash."""
        return [
            WINDOW_PART, container('trash', *TRASH, (0.07, 0.07), 0.14, '.35 .35 .38'),
            mat('coaster', *SPRAY_REST, 0.04, '.3 .5 .8'),
            block('towel stand', (*TOWEL_REST, 0.02), (0.035, 0.035, 0.02), '.6 .5 .4'),
            SPRAY.part(), TOWEL.part()]

    def things(self) -> Sequence[Thing]:
        """Return bottle and towel."""
        return (SPRAY, TOWEL)

    def reset(self, rng: np.random.Generator) -> None:
        """Put bottle and towel in place."""
        self._coverage = Coverage()
        self._sprayed = 0.0
        jitter = rng.uniform(-0.015, 0.015, 4)
        self.simulation.place(SPRAY.name, np.array(
            [SPRAY_REST[0] + jitter[0], SPRAY_REST[1] + jitter[1], SPRAY.rest_height]))
        self.simulation.place(TOWEL.name, np.array(
            [TOWEL_REST[0] + jitter[2] / 2, TOWEL_REST[1] + jitter[3] / 2,
             0.04 + TOWEL.rest_height]))

    def update(self) -> None:
        """Spray from the held bottle, wipe with the held towel."""
        held = self.grasping.held
        if held == SPRAY.name:
            offset = np.abs(self.simulation.position(SPRAY.name) - [PANE_X - 0.12, 0.0, 0.25])
            self._sprayed += 0.02 * bool(offset.max() < 0.08)
        elif held == TOWEL.name and self._sprayed > 0.2:
            position = self.simulation.position(TOWEL.name)
            if position[0] > PANE_X - 0.05:
                self._coverage.wipe(position)

    def _wiped(self) -> list[str]:
        return [part for part in PARTS if self._coverage.share(part) >= WIPED]

    def _thrown(self) -> bool:
        return self.rests_at(TOWEL.name, TRASH, 0.08)

    def places(self) -> dict[str, Point]:
        """Return coaster, trash, the window and its parts."""
        return {'coaster': [*SPRAY_REST, 0.002], 'trash': [*TRASH, 0.09],
                'window': [PANE_X, 0.0, 0.23],
                'front of the window': [PANE_X - 0.13, 0.0, 0.23],
                **{f'{part} of the window': part_middle(part) for part in PARTS}}

    def state(self) -> dict[str, Any]:
        """Return what has been done and which part is next."""
        wiped = self._wiped()
        left = [part for part in PARTS if part not in wiped]
        return {'sprayed': self._sprayed > 0.2, 'wiped': wiped,
                'next': left[0] if left else None, 'thrown': self._thrown()}

    def score(self) -> Score:
        """Give one point for the whole window, sprayed and wiped, and the towel thrown away."""
        wiped, thrown = self._wiped(), self._thrown()
        complete = len(wiped) == len(PARTS)
        failure = 'threw the towel away too early' if thrown and not complete else ''
        details = {'sprayed': self._sprayed > 0.2, 'wiped': wiped, 'thrown': thrown}
        success = thrown and complete
        return self.make_score(
            details, float(success), success, failure,
            'towel not thrown away' if complete else f'{len(wiped)} of {len(PARTS)} parts wiped')
