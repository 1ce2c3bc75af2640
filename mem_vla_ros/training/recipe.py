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
How the variants of docs/results.md are trained: which demonstrations, which runs, in which order.

Both levels of ``both`` learn side by side: from demonstrations, then also from corrections of what
a first low level did. A baseline has the same low level, or one that goes on without video memory,
and a high level that begins with what the low level has learned to see. Runs that variants share
are trained once.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from mem_vla_ros.core.errors import ConfigError


@dataclass(frozen=True)
class Demonstrations:
    """
    A folder of demonstrations, by what ``memvla collect`` is asked for.

    :param learner: Run whose policy drives in turn with the expert; empty for none.
    """

    task: str
    episodes: int
    first_seed: int = 100000
    noise: float = 0.02
    mistakes: float = 0.0
    learner: str = ''
    told: float = 0.3


@dataclass(frozen=True)
class Run:
    """
    One training run.

    :param name: Of its folder.
    :param start: Run that it continues; empty for random weights.
    :param data: Folders of demonstrations.
    :param settings: Changes of the preset.
    """

    name: str
    preset: str
    start: str
    data: tuple[str, ...]
    settings: dict[str, Any]


_SHORT = ('find_object', 'swap_mugs', 'unpack_groceries', 'scoop_coffee', 'grilled_cheese',
          'window_cleaning', 'chopstick', 'open_refrigerator')
# In these two, attempts fail by themselves.
_ADAPTATION = ('chopstick', 'open_refrigerator')

DEMONSTRATIONS = {
    **{task: Demonstrations(task, 200) for task in _SHORT},
    **{f'{task}_mistakes': Demonstrations(task, 60, 101000, mistakes=0.2)
       for task in _SHORT if task not in _ADAPTATION},
    'recipe_setup': Demonstrations('recipe_setup', 100, mistakes=0.1),
    'clean_kitchen': Demonstrations('clean_kitchen', 90, mistakes=0.1),
    'clean_up_counter': Demonstrations('clean_up_counter', 50, mistakes=0.1),
    'kitchen_cleanup': Demonstrations('kitchen_cleanup', 50, mistakes=0.1),
    'table_bussing': Demonstrations('table_bussing', 40, mistakes=0.1),
    **{f'{task}_corrected': Demonstrations(
        task, episodes, 102000, 0.0, learner='first_low', told=0.9)
       for task, episodes in {
           'find_object': 28, 'swap_mugs': 32, 'unpack_groceries': 16, 'scoop_coffee': 32,
           'grilled_cheese': 20, 'window_cleaning': 32, 'chopstick': 12, 'open_refrigerator': 12,
           'recipe_setup': 14, 'clean_kitchen': 16, 'clean_up_counter': 8, 'kitchen_cleanup': 8,
           'table_bussing': 8}.items()},
    'recipe_setup_more': Demonstrations('recipe_setup', 45, 104000, mistakes=0.1),
    'clean_up_counter_more': Demonstrations('clean_up_counter', 50, 104000, mistakes=0.1),
    'kitchen_cleanup_more': Demonstrations('kitchen_cleanup', 80, 104000, mistakes=0.1),
    **{f'{task}_corrected_again': Demonstrations(
        task, episodes, 105000, 0.0, learner='second_low', told=1.0)
       for task, episodes in {
           'swap_mugs': 24, 'scoop_coffee': 24, 'recipe_setup': 8, 'clean_up_counter': 10,
           'kitchen_cleanup': 12}.items()},
}
_CORRECTED = tuple(name for name in DEMONSTRATIONS if name.endswith('_corrected'))
_LATE = tuple(name for name in DEMONSTRATIONS if name.endswith(('_more', '_again')))
_UNCORRECTED = tuple(name for name in DEMONSTRATIONS if name not in (*_CORRECTED, *_LATE))
_WITH_CORRECTIONS = (*_UNCORRECTED, *2 * _CORRECTED)
_EVERYTHING = (*_WITH_CORRECTIONS, *2 * _LATE)
# Of the others the low level is always told the subtask.
_ALSO_FROM_THE_GOAL = ('find_object', 'chopstick', 'open_refrigerator')
# By how many skills a task has, and how often it is measured.
_TASK_WEIGHTS = {
    'find_object': 1.1, 'swap_mugs': 1.3, 'unpack_groceries': 1.1, 'scoop_coffee': 1.3,
    'grilled_cheese': 1.1, 'window_cleaning': 1.3, 'chopstick': 0.7, 'open_refrigerator': 0.9,
    'recipe_setup': 1.3, 'clean_kitchen': 1.4, 'clean_up_counter': 0.5, 'kitchen_cleanup': 0.6,
    'table_bussing': 0.9}
# In the end, those that were behind come more often.
_LAST_TASK_WEIGHTS = {
    **_TASK_WEIGHTS, 'scoop_coffee': 1.6, 'swap_mugs': 1.6, 'window_cleaning': 0.9,
    'grilled_cheese': 0.8, 'find_object': 0.9, 'recipe_setup': 1.6, 'clean_kitchen': 1.1,
    'clean_up_counter': 1.1, 'kitchen_cleanup': 1.3, 'table_bussing': 1.1}
_HIGH_TASK_WEIGHTS = {
    **_TASK_WEIGHTS, 'find_object': 1.4, 'swap_mugs': 1.7, 'unpack_groceries': 1.3,
    'window_cleaning': 1.4, 'recipe_setup': 1.5}
_MEMORY_TASK_WEIGHTS = {
    'find_object': 6.0, 'swap_mugs': 2.0, 'unpack_groceries': 1.5, 'scoop_coffee': 0.6,
    'grilled_cheese': 0.4, 'window_cleaning': 1.5, 'chopstick': 0.7, 'open_refrigerator': 0.9,
    'recipe_setup': 0.8, 'clean_kitchen': 1.0, 'clean_up_counter': 0.3, 'kitchen_cleanup': 0.3,
    'table_bussing': 0.3}
_SHARED = {'clip_frames': 20, 'bfloat16': True, 'task_weights': _TASK_WEIGHTS}


def runs_of(variant: str) -> list[Run]:
    """
    Return the runs of a variant, in order; the last is the variant itself.

    Runs whose policy is needed to collect demonstrations come before those that learn from them.

    :raises ConfigError: if there is no such variant.
    """
    if variant not in VARIANTS:
        near = get_close_matches(variant, VARIANTS, 1)
        raise ConfigError(
            f'Unknown variant {variant!r}. Did you mean {near}? Known: {list(VARIANTS)}.')
    runs: dict[str, Run] = {}
    for run in VARIANTS[variant]:
        for learner in learners_of(run):
            runs |= {before.name: before for before in _runs_up_to(learner)}
        runs[run.name] = run
    return list(runs.values())


def ready_runs(waiting: Sequence[Run], done: Collection[str]) -> list[Run]:
    """Return those runs that can begin, given the names of the runs that are done."""
    return [run for run in waiting if {run.start, *learners_of(run)} - {''} <= set(done)]


def learners_of(run: Run) -> set[str]:
    """Return the names of the runs whose policies were corrected for its data."""
    return {DEMONSTRATIONS[name].learner for name in run.data} - {''}


def _runs_up_to(name: str) -> list[Run]:
    for runs in VARIANTS.values():
        names = [run.name for run in runs]
        if name in names:
            return runs[:names.index(name) + 1]
    raise ConfigError(f'No variant has a run {name!r}.')


def _low_level(name: str, start: str, data: tuple[str, ...], **settings: Any) -> Run:
    return Run(name, 'low', start, data, {
        **_SHARED, 'subtask_dropout': 0.25, 'history_dropout': 0.2,
        'told_tasks': sorted(set(_TASK_WEIGHTS) - set(_ALSO_FROM_THE_GOAL)), **settings})


def _high_level(name: str, start: str, data: tuple[str, ...], **settings: Any) -> Run:
    return Run(name, 'high', start, data, {**_SHARED, **settings})


def _motion(memory: str = 'video') -> dict[str, Any]:
    return {'memory': memory, 'expert_reads_motion': True}


# The gripper counts less, or the moment at which it closes would rule the loss. Late rows of a
# chunk, which are never executed, count less too.
_LAST = {'muon_rate': 1.5e-3, 'action_weights': (1, 1, 1, 1, 1, 1, 0.2), 'row_decay': 0.92}
_LOW = [
    # Schedules that are not played to the end: these make learners to correct.
    _low_level('first_low', '', _UNCORRECTED, steps=2600, stop_after=923, muon_rate=2e-3,
               action_weights=(1, 1, 1, 1, 1, 1, 0.1), model_changes=_motion()),
    _low_level('second_low', 'first_low', _WITH_CORRECTIONS, steps=2100, stop_after=1043, **_LAST,
               model_changes=_motion()),
    _low_level('low_video', 'second_low', _EVERYTHING, steps=1250, **_LAST,
               task_weights=_LAST_TASK_WEIGHTS, model_changes=_motion())]
# Without video memory the low level sees the present alone, and is told what to do as before.
_LOW_NONE = _low_level(
    'low_none', 'low_video', _EVERYTHING, steps=150, **{**_LAST, 'muon_rate': 1e-3},
    task_weights=_LAST_TASK_WEIGHTS, model_changes=_motion('none'))


_HIGH = [
    _high_level('first_high', '', _UNCORRECTED, steps=2400, stop_after=764),
    _high_level('second_high', 'first_high', _WITH_CORRECTIONS, steps=1900, stop_after=876,
                muon_rate=1.5e-3),
    _high_level('third_high', 'second_high', _EVERYTHING, steps=1050, muon_rate=1.5e-3,
                task_weights=_LAST_TASK_WEIGHTS),
    # What was seen seconds ago is learned slowest.
    _high_level('high_video', 'third_high', _EVERYTHING, steps=700, muon_rate=1.5e-3,
                stale_memory=0.5, task_weights=_MEMORY_TASK_WEIGHTS)]


def _baseline(name: str, memory: str, memory_mode: str) -> list[Run]:
    """Begin the high level with what the low level has learned to see."""
    return [*_LOW, *([] if memory == 'video' else [_LOW_NONE]), _high_level(
        f'high_{name}', 'low_video', _EVERYTHING, steps=1200, memory_mode=memory_mode,
        task_weights=_HIGH_TASK_WEIGHTS, model_changes={'memory': memory})]


VARIANTS: dict[str, list[Run]] = {
    'both': [*_LOW, *_HIGH],
    **{name: _baseline(name, memory, memory_mode) for name, memory, memory_mode in (
        ('no_memory', 'none', 'none'),
        ('pool', 'pool', 'none'),
        ('proprio', 'proprio', 'none'),
        ('no_language', 'video', 'none'),
        ('naive', 'video', 'naive'),
        ('no_video', 'none', 'language'))},
}
