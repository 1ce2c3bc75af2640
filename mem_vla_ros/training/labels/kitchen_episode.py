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

"""
A scripted kitchen episode: annotated subtasks with durations and failed attempts.

Like the paper's "clean kitchen", made from a seed and as long as wanted: input for the label
pipeline, and the long episode of tests and benchmarks that need no simulator.
"""

from collections.abc import Iterator
from itertools import cycle
import random

from mem_vla_ros.training.labels.annotated_episode import AnnotatedEpisode, AnnotatedSubtask

GOAL = (
    'Clean up the kitchen. Put the food in the fridge and the dishes in the bottom cabinet. Wash '
    'what is in the sink and place it in the dishrack. Wipe the countertop.')
FAILURE_RATE = 0.2
_COLOURS = ('light green', 'dark blue', 'bright yellow', 'white', 'red')
_FOOD = ('mustard', 'milk', 'butter')
_DISHES = ('plate', 'bowl', 'cup')


def make_kitchen_episode(seed: int = 0, duration_s: float = 900.0) -> AnnotatedEpisode:
    """Return an episode whose last subtask ends at or after ``duration_s``."""
    chance = random.Random(seed)
    subtasks = []
    now = 0.0
    for text in _jobs(chance):
        for outcome in _attempts(chance):
            end = now + chance.randint(5, 12)
            subtasks.append(AnnotatedSubtask(text, outcome, now, end))
            now = end
        if now >= duration_s:
            break
    return AnnotatedEpisode(f'kitchen-{seed}', GOAL, tuple(subtasks))


def _attempts(chance: random.Random) -> Iterator[str]:
    while chance.random() < FAILURE_RATE:
        yield 'failure'
    yield 'success'


def _jobs(chance: random.Random) -> Iterator[str]:
    """Yield subtasks without end, one round of the kitchen after the other."""
    for food in cycle(_FOOD):
        yield from _store(food)
        for _ in range(chance.randint(1, 3)):
            yield from _put_away(f'{chance.choice(_COLOURS)} {chance.choice(_DISHES)}')
        for _ in range(chance.randint(1, 2)):
            yield from _wash(f'{chance.choice(_COLOURS)} {chance.choice(_DISHES)}')
        yield 'wipe the countertop with the sponge'


def _store(food: str) -> Iterator[str]:
    yield 'move to the countertop'
    yield f'pick up the {food}'
    yield 'move to the fridge'
    yield 'open the fridge'
    yield f'place the {food} in the fridge'
    yield 'close the fridge'


def _put_away(dish: str) -> Iterator[str]:
    yield f'pick up the {dish}'
    yield f'place the {dish} in the bottom cabinet'


def _wash(dish: str) -> Iterator[str]:
    yield 'move to the sink'
    yield f'wash the {dish}'
    yield f'place the {dish} in the dishrack'
