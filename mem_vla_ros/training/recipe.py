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

Every baseline continues the weights of ``both`` for the same number of steps, with the same
demonstrations: it has all of their skills, had more training, and differs in its memory alone.
Runs that variants share are trained once.
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
    **{f'{task}_corrected_told': Demonstrations(
        task, episodes, 103000, 0.0, learner='told_video', told=0.8)
       for task, episodes in {
           'find_object': 40, 'scoop_coffee': 80, 'swap_mugs': 80, 'unpack_groceries': 40,
           'window_cleaning': 40}.items()},
    'recipe_setup': Demonstrations('recipe_setup', 95),
    'clean_kitchen': Demonstrations('clean_kitchen', 70, mistakes=0.1),
    'clean_up_counter': Demonstrations('clean_up_counter', 60),
    'kitchen_cleanup': Demonstrations('kitchen_cleanup', 60),
    'table_bussing': Demonstrations('table_bussing', 30, mistakes=0.1),
}
_LONG_AND_DEXTERITY = (
    'recipe_setup', 'clean_kitchen', 'clean_up_counter', 'kitchen_cleanup', 'table_bussing')
_ALL = tuple(DEMONSTRATIONS)
_CORRECTED = tuple(name for name in _ALL if name.endswith('_corrected'))
_CORRECTED_TOLD = tuple(name for name in _ALL if name.endswith('_corrected_told'))
_WITHOUT_MISTAKES = tuple(name for name in _ALL if name in {
    demonstrations.task for demonstrations in DEMONSTRATIONS.values()})
_SHORT = tuple(name for name in _ALL
               if name not in (*_LONG_AND_DEXTERITY, *_CORRECTED, *_CORRECTED_TOLD))
# A folder that stands here several times is drawn as many times as often: corrections of what
# was hard for the learner.
_HARD = tuple(f'{task}_corrected' for task in (
    'scoop_coffee', 'swap_mugs', 'unpack_groceries', 'window_cleaning', 'grilled_cheese'))
_WITH_CORRECTIONS = (*_SHORT, *_CORRECTED, *_HARD, *_HARD)
_EVERYTHING = (*_SHORT, *2 * _CORRECTED, *3 * _CORRECTED_TOLD, *_LONG_AND_DEXTERITY)
_GRIPPER_COUNTS_LESS = (1, 1, 1, 1, 1, 1, 0.1)
_TOLD_WEIGHTS = {
    'find_object': 1.3, 'unpack_groceries': 1.2, 'scoop_coffee': 1.6, 'swap_mugs': 1.4,
    'window_cleaning': 1.3, 'grilled_cheese': 1.0, 'open_refrigerator': 0.8, 'chopstick': 0.6}
_LAST_WEIGHTS = {
    'find_object': 1.2, 'unpack_groceries': 1.3, 'scoop_coffee': 1.8, 'swap_mugs': 1.8,
    'window_cleaning': 1.5, 'grilled_cheese': 0.8, 'open_refrigerator': 0.6, 'chopstick': 0.5,
    'recipe_setup': 0.9, 'clean_kitchen': 0.9, 'clean_up_counter': 0.5, 'kitchen_cleanup': 0.5,
    'table_bussing': 0.5}
_HIGH_WEIGHTS = {
    'find_object': 1.1, 'unpack_groceries': 1.4, 'scoop_coffee': 1.2, 'swap_mugs': 1.2,
    'window_cleaning': 1.5, 'grilled_cheese': 0.7, 'open_refrigerator': 0.7, 'chopstick': 0.6,
    'recipe_setup': 1.2, 'clean_kitchen': 1.2, 'clean_up_counter': 0.4, 'kitchen_cleanup': 0.4,
    'table_bussing': 0.4}


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


def _low_level() -> list[Run]:
    nothing_else = {name: 0 for name in _WITHOUT_MISTAKES if name != 'find_object'}
    return [
        # Learn to see, to grasp and to look back in one task; words and scales are of all tasks.
        Run('begin_video', 'low', '', _WITHOUT_MISTAKES, {
            'steps': 400, 'subtask_dropout': 1.0, 'task_weights': nothing_else}),
        # Learn all short tasks, mostly without being told the subtask.
        Run('suite_video', 'low', 'begin_video', _SHORT, {
            'steps': 2200, 'subtask_dropout': 0.7, 'clip_frames': 20}),
        # Learn to come back from where a learner strays.
        Run('corrected_video', 'low', 'suite_video', _WITH_CORRECTIONS, {
            'steps': 800, 'subtask_dropout': 0.7, 'clip_frames': 20, 'task_weights': {
                'scoop_coffee': 2, 'swap_mugs': 2, 'unpack_groceries': 2, 'window_cleaning': 2,
                'grilled_cheese': 2, 'chopstick': 0.7}}),
        # Become precise: the moment at which the gripper closes no longer rules the loss.
        Run('precise_video', 'low', 'corrected_video', _WITH_CORRECTIONS, {
            'steps': 1600, 'subtask_dropout': 0.7, 'clip_frames': 20,
            'action_weights': _GRIPPER_COUNTS_LESS, 'task_weights': {
                'find_object': 1.6, 'unpack_groceries': 1.5, 'scoop_coffee': 1.2,
                'swap_mugs': 1.6, 'window_cleaning': 1.5, 'grilled_cheese': 1.3,
                'open_refrigerator': 0.7, 'chopstick': 0.5}}),
        # Learn to do what the high level says, in two of three samples.
        Run('told_video', 'low', 'precise_video', _WITH_CORRECTIONS, {
            'steps': 1300, 'subtask_dropout': 0.35, 'history_dropout': 0.0, 'clip_frames': 20,
            'action_weights': _GRIPPER_COUNTS_LESS, 'task_weights': _TOLD_WEIGHTS,
            'model_changes': {'expert_reads_motion': True}}),
        _last_low_level('low_video', 'told_video', 1500, 'video')]


def _last_low_level(name: str, start: str, steps: int, memory: str) -> Run:
    """Learn all tasks, told the subtask in three of four samples, and to leave where one hangs."""
    return Run(name, 'low', start, _EVERYTHING, {
        'steps': steps, 'subtask_dropout': 0.25, 'history_dropout': 0.3, 'clip_frames': 20,
        'action_weights': _GRIPPER_COUNTS_LESS, 'task_weights': _LAST_WEIGHTS,
        'model_changes': {'memory': memory, 'expert_reads_motion': True}})


def _high_level(name: str, start: str, steps: int, memory: str, memory_mode: str) -> Run:
    return Run(name, 'high', start, _EVERYTHING, {
        'steps': steps, 'clip_frames': 20, 'memory_mode': memory_mode,
        'task_weights': _HIGH_WEIGHTS, 'model_changes': {'memory': memory}})


def _both() -> list[Run]:
    # The high level starts from a low level that has learned to see.
    return [
        *_low_level(),
        Run('begin_high_video', 'high', 'precise_video', _WITH_CORRECTIONS, {
            'steps': 700, 'clip_frames': 20, 'task_weights': _TOLD_WEIGHTS}),
        _high_level('high_video', 'begin_high_video', 900, 'video', 'language')]


def _baseline(name: str, memory: str, memory_mode: str) -> list[Run]:
    """Continue the weights of both levels with another memory."""
    runs = _both()
    if memory != 'video':
        runs.append(_last_low_level(f'low_{memory}', 'low_video', 600, memory))
    return [*runs, _high_level(f'high_{name}', 'high_video', 400, memory, memory_mode)]


VARIANTS: dict[str, list[Run]] = {
    'both': _both(),
    **{name: _baseline(name, memory, memory_mode) for name, memory, memory_mode in (
        ('no_memory', 'none', 'none'),
        ('pool', 'pool', 'none'),
        ('proprio', 'proprio', 'none'),
        ('no_language', 'video', 'none'),
        ('naive', 'video', 'naive'),
        ('no_video', 'none', 'language'))},
}
