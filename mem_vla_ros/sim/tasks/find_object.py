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

"""Find object: a person hides a cube in one of four drawers; bring it out, first time right."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mem_vla_ros.sim.person_script import PersonScript
from mem_vla_ros.sim.scene.cabinet import (
    cabinet,
    closed_position,
    drawer_handles,
    drawer_name,
    DRAWERS,
    HANDLE_OFFSET,
    latch_drawers,
)
from mem_vla_ros.sim.scene.fixtures import mat
from mem_vla_ros.sim.scene.handle import Handle
from mem_vla_ros.sim.scene.part import Part
from mem_vla_ros.sim.scene.person import PERSON, PERSON_PART
from mem_vla_ros.sim.scene.thing import box, Thing
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.tasks.task import Point, Task

CUBE = box('red cube', (0.02, 0.02, 0.02), '.9 .1 .1')
MAT = (0.24, -0.30)
GREEN, RED = (0.1, 0.8, 0.2, 1.0), (0.8, 0.2, 0.2, 1.0)
OPENED = 0.04


class FindObject(Task):
    """The mat turns green when the robot may start."""

    name = 'find_object'
    goal = 'find the red cube that was hidden in a drawer and put it on the mat'
    ability = 'partial observability'
    remembered = 'which of four drawers'
    chance = 0.25
    history = 5.0
    time_limit = 30.0
    secrets = DRAWERS

    def parts(self) -> list[Part]:
        """Return cabinet, mat, cube and the person's hand."""
        return [cabinet((PERSON,)), mat('mat', *MAT), PERSON_PART, CUBE.part((PERSON,))]

    def things(self) -> Sequence[Thing]:
        """Return the cube."""
        return (CUBE,)

    def handles(self) -> Sequence[Handle]:
        """Return the four drawers' handles."""
        return drawer_handles()

    def reset(self, rng: np.random.Generator) -> None:
        """Put the cube into the person's hand and plan where it goes."""
        self._opened = dict.fromkeys(DRAWERS, 0.0)
        self._hidden = False
        start = np.array([0.25, 0.45, 0.25]) + rng.normal(0.0, 0.02, 3)
        self._person = self._plan_hiding(start, rng)
        self._go_time = self._person.end + rng.uniform(0.2, 1.5)
        self.simulation.place(CUBE.name, start + [0.0, 0.0, -0.05])
        self._person.update()
        self.simulation.settle()
        self.simulation.weld(f'{PERSON} holds {CUBE.name}')

    def _plan_hiding(self, start: np.ndarray, rng: np.random.Generator) -> PersonScript:
        drawer, front = drawer_name(self.secret), closed_position(self.secret)
        handle = front + HANDLE_OFFSET + [-0.02, 0.0, 0.0]
        pulled = handle + [-0.13, 0.0, 0.0]
        inside = front + [-0.055 + rng.uniform(-0.01, 0.01), rng.uniform(-0.03, 0.03), 0.04]
        grip, drop = f'{PERSON} holds {drawer}', f'{PERSON} holds {CUBE.name}'
        sim, script = self.simulation, PersonScript(self.simulation, start)
        script.wait(rng.uniform(0.0, 0.3))
        script.move(handle, 0.7)
        script.act(lambda: sim.connect(grip, sim.position(PERSON)))
        script.move(pulled, 0.4)
        script.act(lambda: sim.release(grip))
        script.move(pulled + [0.0, 0.0, 0.15], 0.25)
        script.move(inside + [0.0, 0.0, 0.11], 0.25)
        script.move(inside, 0.2)
        script.act(lambda: sim.release(drop))
        script.wait(0.25)
        script.move(inside + [0.0, 0.0, 0.06], 0.15)
        script.move(pulled + [0.0, 0.0, 0.06], 0.25)
        script.move(pulled, 0.1)
        script.act(lambda: sim.connect(grip, sim.position(PERSON)))
        script.move(handle + [0.002, 0.0, 0.0], 0.4)
        script.wait(0.1)
        script.act(lambda: sim.release(grip))
        script.move(handle + [-0.06, 0.05, 0.05], 0.15)
        script.move([0.3, 0.95, 0.4], 0.45)
        return script

    def update(self) -> None:
        """Move the person, show the cue, and note which drawers the robot opens."""
        if not self._hidden:
            self._person.update()
            self._hidden = self.simulation.time >= self._person.end
        else:
            for place in DRAWERS:
                self._opened[place] = max(self._opened[place], self._opening(place))
        latch_drawers(self.simulation)
        self.simulation.paint('mat', GREEN if self._go else RED)

    @property
    def _go(self) -> bool:
        return self.simulation.time >= self._go_time

    def _opening(self, place: str) -> float:
        return self.simulation.joint(f'{place} slide')

    def places(self) -> dict[str, Point]:
        """Return the mat."""
        return {'mat': [*MAT, 0.002]}

    def state(self) -> dict[str, Any]:
        """Return where the cube is hidden, and whether the cue has been given."""
        return {'go': self._go, 'hidden': self._hidden, 'drawer': self.secret,
                'delivered': self._delivered()}

    def _delivered(self) -> bool:
        offset = self.simulation.position(CUBE.name) - [*MAT, CUBE.rest_height]
        return bool(self._hidden and self.grasping.held != CUBE.name
                    and np.abs(offset[:2]).max() < 0.08 and abs(offset[2]) < 0.02)

    def score(self) -> Score:
        """Give one point for the cube on the mat if no wrong drawer was opened."""
        wrong = [place for place in DRAWERS
                 if place != self.secret and self._opened[place] > OPENED]
        success = self._delivered() and not wrong
        details = {'right_drawer': self._opened[self.secret] > OPENED and not wrong,
                   'wrong_drawers': wrong, 'delivered': self._delivered()}
        return self.make_score(
            details, float(success), success, 'opened a wrong drawer' if wrong else '',
            'cube not on the mat' if details['right_drawer'] else 'no drawer opened')
