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

"""Sorting: things on the table that belong into containers, all of them in sight."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from mem_vla_ros.sim.scene.fixtures import container
from mem_vla_ros.sim.scene.part import Part
from mem_vla_ros.sim.scene.thing import Thing
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.tasks.task import Point, Task

_CORNERS = ((-0.45, -0.45), (0.45, 0.45), (-0.45, 0.45), (0.45, -0.45))


class Sorting(Task):
    """
    A task without memory: what is left to do is what still lies on the table.

    :cvar belongings: Container name -> the things that belong into it.
    :cvar containers: Name -> (x, y, half x, half y, wall height, colour).
    :cvar spots: Where things may lie at the start.
    """

    belongings: ClassVar[dict[str, tuple[Thing, ...]]]
    containers: ClassVar[dict[str, tuple[float, float, float, float, float, str]]]
    spots: ClassVar[Sequence[tuple[float, float]]]

    ability = 'dexterity without memory'
    remembered = 'nothing: memory must not hurt'
    chance = 1.0
    history = 0.0
    travel_height = 0.2

    def parts(self) -> list[Part]:
        """Return containers and things."""
        boxes = [container(name, x, y, (a, b), height, colour)
                 for name, (x, y, a, b, height, colour) in self.containers.items()]
        return [*boxes, *(thing.part() for thing in self.things())]

    def things(self) -> Sequence[Thing]:
        """Return everything that has to be sorted."""
        return tuple(thing for things in self.belongings.values() for thing in things)

    def reset(self, rng: np.random.Generator) -> None:
        """Lay the things on random spots."""
        order = rng.permutation(len(self.spots))
        for thing, index in zip(self.things(), order, strict=False):
            spot = np.array(self.spots[index]) + rng.uniform(-0.01, 0.01, 2)
            self.simulation.place(
                thing.name, np.array([*spot, thing.rest_height]), rng.uniform(-0.4, 0.4))

    def _inside(self, thing: str) -> str | None:
        """Return the container that a thing is in."""
        position = self.simulation.position(thing)
        for name, (x, y, a, b, *_) in self.containers.items():
            if abs(position[0] - x) < a + 0.01 and abs(position[1] - y) < b + 0.01:
                return name if thing != self.grasping.held else None
        return None

    def _sorted(self) -> tuple[list[str], list[str]]:
        """Return what is in its right container, and what in a wrong one."""
        inside = {thing.name: (self._inside(thing.name), right)
                  for right, things in self.belongings.items() for thing in things}
        right = [name for name, (where, right) in inside.items() if where == right]
        wrong = [name for name, (where, right) in inside.items() if where not in (right, None)]
        return right, wrong

    def places(self) -> dict[str, Point]:
        """Return the containers, each time another corner so that nothing piles up."""
        spread = _CORNERS[len(self._sorted()[0]) % len(_CORNERS)]
        return {name: [x + spread[0] * a, y + spread[1] * b, height - 0.05]
                for name, (x, y, a, b, height, _) in self.containers.items()}

    def state(self) -> dict[str, Any]:
        """Return what is left to sort, and where it belongs."""
        right, _ = self._sorted()
        left = {thing.name: where for where, things in self.belongings.items()
                for thing in things if thing.name not in right}
        return {'left': left, 'done': not left}

    def score(self) -> Score:
        """Give one point for each thing in its container."""
        right, wrong = self._sorted()
        details = {'sorted': right, 'wrong': wrong}
        return self.make_score(
            details, len(right), len(right) == self.max_points,
            missing=f'{len(right)} of {self.max_points:g} sorted')
