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

"""Recipe set-up: fetch the ingredients from the drawers that the goal names, close them all."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mem_vla_ros.sim.scene.cabinet import (
    cabinet,
    closed_position,
    drawer_handles,
    drawer_name,
    DRAWERS,
    latch_drawers,
)
from mem_vla_ros.sim.scene.fixtures import container
from mem_vla_ros.sim.scene.handle import Handle
from mem_vla_ros.sim.scene.part import Part
from mem_vla_ros.sim.scene.thing import box, cylinder, Thing
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.tasks.task import Point, Task

RECIPES = {
    'mashed potatoes': ('potato', 'butter', 'milk', 'masher', 'salt'),
    'fried rice': ('rice', 'egg', 'soy sauce', 'spatula', 'salt'),
    'pizza': ('dough', 'cheese', 'tomato', 'roller', 'salt'),
    'pancakes': ('egg', 'milk', 'butter', 'spatula', 'flour')}
#: The five bodies of a scene, whatever they stand for in the episode's recipe.
INGREDIENTS = (
    box('red ingredient', (0.018, 0.018, 0.018), '.8 .25 .2'),
    box('yellow ingredient', (0.02, 0.015, 0.015), '.9 .8 .3'),
    cylinder('white ingredient', 0.016, 0.022, '.9 .9 .92'),
    box('black ingredient', (0.026, 0.012, 0.012), '.2 .2 .22'),
    cylinder('blue ingredient', 0.015, 0.018, '.25 .45 .8'))
CRATE, HALF, RIM = (0.14, -0.34), (0.085, 0.085), 0.13


class RecipeSetup(Task):
    """Drawers are closed again and bristles cover the crate: what is fetched can't be seen."""

    name = 'recipe_setup'
    ability = 'long horizon, language'
    remembered = 'items fetched so far, drawers to close'
    chance = 0.09
    history = 60.0
    time_limit = 130.0
    max_points = 6.0
    travel_height = 0.3
    secrets = tuple(RECIPES)

    def parts(self) -> list[Part]:
        """Return cabinet, crate and ingredients."""
        return [cabinet(), container('crate', *CRATE, HALF, RIM, '.6 .45 .3', brush=True),
                *(thing.part() for thing in INGREDIENTS)]

    def things(self) -> Sequence[Thing]:
        """Return the ingredients."""
        return INGREDIENTS

    def handles(self) -> Sequence[Handle]:
        """Return the drawers' handles."""
        return drawer_handles()

    def reset(self, rng: np.random.Generator) -> None:
        """Hide the ingredients in the drawers: one in each, the fifth beside another."""
        self._closed, self._needless = set(DRAWERS), False
        drawers = [DRAWERS[index] for index in rng.permutation(4)]
        homes = [*drawers, drawers[0]]
        order = rng.permutation(5)
        self._homes = {INGREDIENTS[order[slot]].name: home for slot, home in enumerate(homes)}
        self._names = dict(zip(self._homes, RECIPES[self.secret], strict=True))
        for slot, index in enumerate(order):
            side = 0.0 if 1 <= slot <= 3 else (0.045 if slot == 0 else -0.045)
            offset = [0.07, side, -0.041 + INGREDIENTS[index].rest_height + 0.001]
            self.simulation.place(
                INGREDIENTS[index].name, closed_position(homes[slot]) + offset,
                rng.uniform(-0.2, 0.2))
        self.goal = self._goal()

    def _goal(self) -> str:
        parts = []
        for home in dict.fromkeys(self._homes.values()):
            items = [name.removesuffix(' ingredient') for name in self._homes
                     if self._homes[name] == home]
            parts.append(f"{' and '.join(items)} from the {drawer_name(home)}")
        return f"put the supplies for {self.secret} in the crate: {', '.join(parts)}"

    def update(self) -> None:
        """Let the catches work, and note drawers that are opened again for nothing."""
        latch_drawers(self.simulation)
        for place in DRAWERS:
            opening = self.simulation.joint(f'{place} slide')
            if opening < 0.01:
                self._closed.add(place)
            elif opening > 0.04 and place in self._closed:
                self._closed.remove(place)
                fetched = self._fetched()
                self._needless |= all(
                    name in fetched for name, home in self._homes.items() if home == place)

    def _fetched(self) -> list[str]:
        fetched = []
        for name in self._homes:
            offset = np.abs(self.simulation.position(name)[:2] - CRATE)
            if (offset < np.array(HALF) + 0.01).all() and self.grasping.held != name:
                fetched.append(name)
        return fetched

    def _open_drawers(self) -> list[str]:
        return [drawer_name(place) for place in DRAWERS
                if self.simulation.joint(f'{place} slide') > 0.01]

    def places(self) -> dict[str, Point]:
        """Return the middle of the crate."""
        return {'crate': [*CRATE, RIM - 0.05]}

    def state(self) -> dict[str, Any]:
        """Return what is left, in which drawers, and what is open."""
        fetched = self._fetched()
        return {'left': {name: drawer_name(home) for name, home in self._homes.items()
                         if name not in fetched},
                'fetched': {name: drawer_name(self._homes[name]) for name in fetched},
                'open': self._open_drawers()}

    def score(self) -> Score:
        """Give one point for each ingredient in the crate, one for closing all drawers then."""
        fetched, still_open = self._fetched(), self._open_drawers()
        complete = len(fetched) == len(INGREDIENTS)
        success = complete and not still_open
        failure = 'opened a drawer that was empty already' if self._needless else ''
        details = {'fetched': [self._names[name] for name in fetched], 'open': still_open}
        return self.make_score(
            details, len(fetched) + success, success, failure,
            'a drawer is open' if complete else f'{len(fetched)} of {len(INGREDIENTS)} fetched')
