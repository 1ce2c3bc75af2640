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

"""Clean kitchen: wash a plate on both sides with soap, wipe the counter, put things away."""

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
from mem_vla_ros.sim.scene.fixtures import block, mat
from mem_vla_ros.sim.scene.handle import Handle
from mem_vla_ros.sim.scene.part import Part
from mem_vla_ros.sim.scene.thing import box, cylinder, Thing
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.tasks.task import Point, Task

SPONGE = box('sponge', (0.026, 0.018, 0.014), '.95 .85 .25', 0.03)
PLATE = box('plate', (0.03, 0.024, 0.006), '.9 .92 .97', 0.06)
MUSTARD = cylinder('mustard', 0.016, 0.03, '.9 .7 .1')
TRAY, SOAP, SINK, RACK = (0.12, 0.34), (0.26, 0.30), (0.30, 0.04), (0.10, -0.34)
PARTS = {'left part of the counter': (0.20, 0.16), 'right part of the counter': (0.24, -0.16)}
FRIDGE = 'top right'
SINK_TOP = 0.016
SCRUBBING, SOAPING = 0.8, 0.3


class CleanKitchen(Task):
    """Soap, washed sides and wiped parts leave no trace that a camera could see."""

    name = 'clean_kitchen'
    goal = ('clean the kitchen: put soap on the sponge, wash both sides of the plate and put it '
            'on the rack, wipe both parts of the counter, put the sponge back on the tray, and '
            'put the mustard in the top right drawer')
    ability = 'long horizon, language'
    remembered = 'soap added, sides washed, parts wiped'
    chance = 0.25
    history = 60.0
    time_limit = 110.0
    max_points = 8.0
    travel_height = 0.16

    def parts(self) -> list[Part]:
        """Return cabinet, sink, rack, soap and the things."""
        return [
            cabinet(), mat('tray', *TRAY, 0.05, '.3 .5 .8'), mat('rack', *RACK, 0.06, '.5 .5 .55'),
            block('sink', (*SINK, SINK_TOP / 2), (0.07, 0.06, SINK_TOP / 2), '.55 .57 .6'),
            block('soap', (SOAP[0], SOAP[1], 0.05), (0.015, 0.015, 0.05), '.3 .75 .5'),
            SPONGE.part(), PLATE.part(), MUSTARD.part()]

    def things(self) -> Sequence[Thing]:
        """Return sponge, plate and mustard."""
        return (SPONGE, PLATE, MUSTARD)

    def handles(self) -> Sequence[Handle]:
        """Return the drawers' handles."""
        return drawer_handles()

    def reset(self, rng: np.random.Generator) -> None:
        """Put everything to where the evening left it."""
        self._soaping = 0.0
        self._washed = {'front': 0.0, 'back': 0.0}
        self._wiped = {part: np.zeros(2, dtype=bool) for part in PARTS}
        spots = {SPONGE: (*TRAY, 0.002), PLATE: (*SINK, SINK_TOP), MUSTARD: (0.36, -0.28, 0.0)}
        for thing, (x, y, z) in spots.items():
            jitter = rng.uniform(-0.012, 0.012, 2)
            self.simulation.place(
                thing.name, np.array([x + jitter[0], y + jitter[1], z + thing.rest_height]))

    def update(self) -> None:
        """Let the sponge take soap, wash and wipe."""
        latch_drawers(self.simulation)
        if self.grasping.held != SPONGE.name:
            return
        sponge = self.simulation.position(SPONGE.name)
        if np.hypot(*(sponge[:2] - SOAP)) < 0.05 and sponge[2] > 0.1:
            self._soaping += 0.02
        offset = sponge - self.simulation.position(PLATE.name)
        if self._soap and np.hypot(*offset[:2]) < 0.05 and offset[2] < 0.035:
            self._washed[self._side_up] += 0.02
        for part, centre in PARTS.items():
            if sponge[2] < 0.035 and abs(sponge[0] - centre[0]) < 0.05:
                self._wiped[part] |= np.abs(
                    sponge[1] - centre[1] - np.array([-0.05, 0.05])) < 0.03

    @property
    def _soap(self) -> bool:
        return self._soaping >= SOAPING

    @property
    def _side_up(self) -> str:
        return 'front' if self.simulation.upright(PLATE.name) > 0 else 'back'

    def _stored(self) -> bool:
        front = closed_position(FRIDGE) - [self._opening(), 0.0, 0.0]
        offset = self.simulation.position(MUSTARD.name) - front
        return bool(0.0 < offset[0] < 0.16 and abs(offset[1]) < 0.1 and abs(offset[2]) < 0.06
                    and self.grasping.held != MUSTARD.name)

    def _opening(self) -> float:
        return self.simulation.joint(f'{FRIDGE} slide')

    def _done(self) -> dict[str, bool]:
        done = {'soap': self._soap}
        done |= {f'{side} washed': time >= SCRUBBING for side, time in self._washed.items()}
        done |= {f'{part} wiped': bool(ends.all()) for part, ends in self._wiped.items()}
        done['sponge back'] = done['soap'] and self.rests_at(SPONGE.name, TRAY, 0.06)
        done['plate on the rack'] = self.rests_at(PLATE.name, RACK, 0.07)
        done['mustard away'] = self._stored() and self._opening() < 0.01
        return done

    def places(self) -> dict[str, Point]:
        """Return every place that something is put on, or wiped."""
        x, y, z = closed_position(FRIDGE)
        return {'tray': [*TRAY, 0.002], 'rack': [*RACK, 0.002], 'sink': [*SINK, SINK_TOP],
                'soap': [*SOAP, 0.13], **{part: [*at, 0.0] for part, at in PARTS.items()},
                drawer_name(FRIDGE): [round(x + 0.07 - self._opening(), 4), round(y, 4),
                                      round(z - 0.03, 4)]}

    def state(self) -> dict[str, Any]:
        """Return what is done, and which side of the plate is up."""
        return {'done': self._done(), 'side_up': self._side_up, 'stored': self._stored()}

    def score(self) -> Score:
        """Give one point for each of eight subtasks."""
        details = self._done()
        points = sum(details.values())
        missing = next((step for step, done in details.items() if not done), '')
        return self.make_score(
            details, points, points == self.max_points, missing=f'{missing} not done')
