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

Every variant gets the same demonstrations and the same number of steps, unless its name says
otherwise. Runs that variants share are trained once.
"""

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


DEMONSTRATIONS = {
    'find_object': Demonstrations('find_object', 350),
    'find_object_mistakes': Demonstrations('find_object', 100, 101000, mistakes=0.3),
    'scoop_coffee': Demonstrations('scoop_coffee', 250),
    'scoop_coffee_mistakes': Demonstrations('scoop_coffee', 80, 101000, mistakes=0.2),
    'swap_mugs': Demonstrations('swap_mugs', 250),
    'swap_mugs_mistakes': Demonstrations('swap_mugs', 80, 101000, mistakes=0.2),
    'unpack_groceries': Demonstrations('unpack_groceries', 250),
    'unpack_groceries_mistakes': Demonstrations('unpack_groceries', 80, 101000, mistakes=0.2),
    'window_cleaning': Demonstrations('window_cleaning', 250),
    'grilled_cheese': Demonstrations('grilled_cheese', 250),
    'open_refrigerator': Demonstrations('open_refrigerator', 250),
    'chopstick': Demonstrations('chopstick', 250),
    **{f'{task}_corrected': Demonstrations(task, episodes, 102000, 0.0, learner='suite_video')
       for task, episodes in {
           'find_object': 40, 'scoop_coffee': 60, 'swap_mugs': 60, 'unpack_groceries': 60,
           'window_cleaning': 50, 'grilled_cheese': 40, 'open_refrigerator': 30,
           'chopstick': 30}.items()},
    'recipe_setup': Demonstrations('recipe_setup', 95),
    'clean_kitchen': Demonstrations('clean_kitchen', 70, mistakes=0.1),
    'clean_up_counter': Demonstrations('clean_up_counter', 60),
    'kitchen_cleanup': Demonstrations('kitchen_cleanup', 60),
    'table_bussing': Demonstrations('table_bussing', 30, mistakes=0.1),
}
_LONG_AND_DEXTERITY = (
    'recipe_setup', 'clean_kitchen', 'clean_up_counter', 'kitchen_cleanup', 'table_bussing')
_ALL = tuple(DEMONSTRATIONS)
_WITHOUT_MISTAKES = tuple(
    name for name in _ALL if not name.endswith(('_mistakes', '_corrected')))
_SHORT = tuple(name for name in _ALL
               if name not in _LONG_AND_DEXTERITY and not name.endswith('_corrected'))
_GRIPPER_COUNTS_LESS = (1, 1, 1, 1, 1, 1, 0.1)
_LAST_WEIGHTS = {
    'find_object': 1.3, 'unpack_groceries': 1.2, 'scoop_coffee': 1.6, 'swap_mugs': 1.4,
    'window_cleaning': 1.3, 'grilled_cheese': 1.0, 'open_refrigerator': 0.8, 'chopstick': 0.6}
# Corrections of the tasks that were hard for the learner are drawn three times as often.
_HARD = tuple(f'{task}_corrected' for task in (
    'scoop_coffee', 'swap_mugs', 'unpack_groceries', 'window_cleaning', 'grilled_cheese'))
_WITH_CORRECTIONS = (
    *_SHORT, *(name for name in _ALL if name.endswith('_corrected')), *_HARD, *_HARD)


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
        for learner in {DEMONSTRATIONS[name].learner for name in run.data} - {''}:
            runs |= {before.name: before for before in _runs_up_to(learner)}
        runs[run.name] = run
    return list(runs.values())


def _runs_up_to(name: str) -> list[Run]:
    for runs in VARIANTS.values():
        names = [run.name for run in runs]
        if name in names:
            return runs[:names.index(name) + 1]
    raise ConfigError(f'No variant has a run {name!r}.')


def _begin(memory: str) -> Run:
    """Learn to see, to grasp and to look back in one task; words and scales are of all tasks."""
    nothing_else = {name: 0 for name in _WITHOUT_MISTAKES if name != 'find_object'}
    return Run(f'begin_{memory}', 'low', '', _WITHOUT_MISTAKES, {
        'steps': 400, 'subtask_dropout': 1.0, 'task_weights': nothing_else,
        'model_changes': {'memory': memory}})


def _suite(memory: str) -> Run:
    """Learn all short tasks, mostly without being told the subtask."""
    return Run(f'suite_{memory}', 'low', f'begin_{memory}', _SHORT, {
        'steps': 2200, 'subtask_dropout': 0.7, 'clip_frames': 20,
        'model_changes': {'memory': memory}})


def _corrected(memory: str) -> Run:
    """Learn to come back from where a learner strays."""
    return Run(f'corrected_{memory}', 'low', f'suite_{memory}', _WITH_CORRECTIONS, {
        'steps': 800, 'subtask_dropout': 0.7, 'clip_frames': 20,
        'task_weights': {
            'scoop_coffee': 2, 'swap_mugs': 2, 'unpack_groceries': 2, 'window_cleaning': 2,
            'grilled_cheese': 2, 'chopstick': 0.7},
        'model_changes': {'memory': memory}})


def _precise(memory: str) -> Run:
    """Become precise: the moment at which the gripper closes no longer rules the loss."""
    return Run(f'precise_{memory}', 'low', f'corrected_{memory}', _WITH_CORRECTIONS, {
        'steps': 1600, 'subtask_dropout': 0.7, 'clip_frames': 20,
        'action_weights': _GRIPPER_COUNTS_LESS,
        'task_weights': {
            'find_object': 1.6, 'unpack_groceries': 1.5, 'scoop_coffee': 1.2, 'swap_mugs': 1.6,
            'window_cleaning': 1.5, 'grilled_cheese': 1.3, 'open_refrigerator': 0.7,
            'chopstick': 0.5},
        'model_changes': {'memory': memory}})


def _told(name: str, start: str, memory: str, steps: int) -> Run:
    """Learn to do what the high level says, in two of three samples."""
    return Run(name, 'low', start, _WITH_CORRECTIONS, {
        'steps': steps, 'subtask_dropout': 0.35, 'history_dropout': 0.0, 'clip_frames': 20,
        'action_weights': _GRIPPER_COUNTS_LESS, 'task_weights': _LAST_WEIGHTS,
        'model_changes': {'memory': memory, 'expert_reads_motion': True}})


def _low_level(memory: str) -> list[Run]:
    return [_begin(memory), _suite(memory), _corrected(memory), _precise(memory),
            _told(f'low_{memory}', f'precise_{memory}', memory, 1300)]


def _both_levels(name: str, memory: str, memory_mode: str) -> list[Run]:
    """Teach the high level from a low level that has learned to see."""
    return [*_low_level(memory), Run(name, 'high', f'precise_{memory}', _WITH_CORRECTIONS, {
        'steps': 700, 'clip_frames': 20, 'memory_mode': memory_mode,
        'task_weights': _LAST_WEIGHTS, 'model_changes': {'memory': memory}})]


VARIANTS: dict[str, list[Run]] = {
    'video': _low_level('video'),
    'no_memory': _low_level('none'),
    'pool': _low_level('pool'),
    'proprio': _low_level('proprio'),
    'post_train': [
        *_low_level('none'), _told('low_post_train', 'low_none', 'video', 300)],
    'both': _both_levels('high_video', 'video', 'language'),
    'no_language': _both_levels('high_no_language', 'video', 'none'),
    'naive': _both_levels('high_naive', 'video', 'naive'),
    'no_video': _both_levels('high_no_video', 'none', 'language'),
}
