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

Both levels of ``both`` learn side by side: from demonstrations, then also from corrections of
what the low level did when it drove. A baseline has the same low level, or one that goes on
without video memory; its high level is that of ``both`` but for the last two runs, which have
another memory and the same steps and data. Variants named ``alone`` are low levels that learn
one task from random weights. Runs that variants share are trained once.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
import math
from typing import Any

from mem_vla_ros.core.errors import ConfigError


@dataclass(frozen=True)
class Demonstrations:
    """
    A folder of demonstrations, by what ``memvla collect`` is asked for.

    :param learner: Run whose policy drives in turn with the expert; empty for none.
    :param longest_s: Only so much of an episode is recorded [s].
    """

    task: str
    episodes: int
    first_seed: int = 100000
    noise: float = 0.02
    mistakes: float = 0.0
    learner: str = ''
    told: float = 0.3
    longest_s: float = math.inf


@dataclass(frozen=True)
class Run:
    """
    One training run.

    :param name: Of its folder.
    :param start: Run that it continues; empty for random weights.
    :param data: Folders of demonstrations.
    :param settings: Changes of the preset.
    :param share_of: Run of whose weights its checkpoint takes a share; empty for its start.
    """

    name: str
    preset: str
    start: str
    data: tuple[str, ...]
    settings: dict[str, Any]
    share_of: str = ''


_SHORT = ('find_object', 'swap_mugs', 'unpack_groceries', 'scoop_coffee', 'grilled_cheese',
          'window_cleaning', 'chopstick', 'open_refrigerator')
# In these two, attempts fail by themselves.
_ADAPTATION = ('chopstick', 'open_refrigerator')

_LONG = {'recipe_setup': 100, 'clean_kitchen': 90, 'clean_up_counter': 50, 'kitchen_cleanup': 50,
         'table_bussing': 40}


def _more(suffix: str, first_seed: int, episodes: dict[str, int]) -> dict[str, Demonstrations]:
    """Return more of the experts, who miss a tenth of their pick-ups."""
    return {f'{task}_{suffix}': Demonstrations(task, count, first_seed, mistakes=0.1)
            for task, count in episodes.items()}


def _corrections(
    suffix: str, first_seed: int, episodes: dict[str, int], learner: str, told: float = 1.0,
) -> dict[str, Demonstrations]:
    return {f'{task}_{suffix}': Demonstrations(
        task, count, first_seed, 0.0, learner=learner, told=told)
        for task, count in episodes.items()}


_FIRST = {
    **{task: Demonstrations(task, 200) for task in _SHORT},
    **{f'{task}_mistakes': Demonstrations(task, 60, 101000, mistakes=0.2)
       for task in _SHORT if task not in _ADAPTATION},
    **{task: Demonstrations(task, episodes, mistakes=0.1) for task, episodes in _LONG.items()}}
_SECOND = _corrections('corrected', 102000, {
    'find_object': 28, 'swap_mugs': 32, 'unpack_groceries': 16, 'scoop_coffee': 32,
    'grilled_cheese': 20, 'window_cleaning': 32, 'chopstick': 12, 'open_refrigerator': 12,
    'recipe_setup': 14, 'clean_kitchen': 16, 'clean_up_counter': 8, 'kitchen_cleanup': 8,
    'table_bussing': 8}, 'first_low', told=0.9)
_THIRD = {
    **_more('more', 104000, {
        'recipe_setup': 45, 'clean_up_counter': 50, 'kitchen_cleanup': 80}),
    **_corrections('corrected_again', 105000, {
        'swap_mugs': 24, 'scoop_coffee': 24, 'recipe_setup': 8, 'clean_up_counter': 10,
        'kitchen_cleanup': 12}, 'second_low')}
_FOURTH_MORE = _more('fourth', 107000, {
    **dict.fromkeys(_SHORT, 50), 'chopstick': 40, 'open_refrigerator': 40, 'clean_kitchen': 40,
    'recipe_setup': 40, 'kitchen_cleanup': 40, 'clean_up_counter': 30, 'table_bussing': 25})
_FOURTH = _corrections('fourth_corrected', 106000, {
    **dict.fromkeys(_SHORT, 50), 'clean_kitchen': 25, 'recipe_setup': 30, 'kitchen_cleanup': 30,
    'clean_up_counter': 25, 'table_bussing': 15}, 'third_low')
_FIFTH = {
    **_more('fifth', 109000, {'clean_kitchen': 40, 'recipe_setup': 25}),
    **_corrections('fifth_corrected', 108000, {
        **dict.fromkeys(_SHORT, 16), 'window_cleaning': 70, 'unpack_groceries': 60,
        'clean_kitchen': 24, 'recipe_setup': 22, 'kitchen_cleanup': 25, 'clean_up_counter': 12},
        'fourth_low')}
_SIXTH = {
    **_more('sixth', 111000, {
        **dict.fromkeys(_SHORT, 50), 'find_object': 70, 'swap_mugs': 70, 'unpack_groceries': 160,
        'recipe_setup': 110, 'clean_kitchen': 40, 'kitchen_cleanup': 50, 'clean_up_counter': 50,
        'table_bussing': 35}),
    **_corrections('sixth_corrected', 110000, {
        **dict.fromkeys(_SHORT, 36), 'unpack_groceries': 60, 'swap_mugs': 50, 'recipe_setup': 40,
        'clean_kitchen': 30, 'kitchen_cleanup': 50, 'clean_up_counter': 40, 'table_bussing': 30},
        'fifth_low')}
_LOOKS = {'unpack_groceries_looks': Demonstrations(
    'unpack_groceries', 400, 130000, longest_s=5.0)}
# The low level takes one thing for another; the high level must see what it holds.
_SEVENTH = _corrections('seventh_corrected', 112000, {
    'table_bussing': 50, 'clean_up_counter': 50, 'kitchen_cleanup': 50, 'scoop_coffee': 40,
    'swap_mugs': 40, 'chopstick': 20}, 'low_video')
_ALONE = {
    'alone': Demonstrations('find_object', 300, 120000),
    'alone_mistakes': Demonstrations('find_object', 100, 121000, mistakes=0.3)}
DEMONSTRATIONS = {
    **_FIRST, **_SECOND, **_THIRD, **_FOURTH_MORE, **_FOURTH, **_FIFTH, **_SIXTH, **_LOOKS,
    **_SEVENTH, **_ALONE}
_TO_SECOND = (*_FIRST, *2 * tuple(_SECOND))
_TO_THIRD = (*_TO_SECOND, *2 * tuple(_THIRD))
_SHORT_FIRST = tuple(name for name in _FIRST if name not in _LONG)
_TO_FOURTH = (*_SHORT_FIRST, *2 * tuple(_FOURTH_MORE), *3 * tuple(_FOURTH))
_TO_FIFTH = (*_SHORT_FIRST, *_FOURTH_MORE, *2 * tuple(_FOURTH), *3 * tuple(_FIFTH))
_TO_SIXTH = tuple(_SIXTH)
_TO_SEVENTH = (*_SIXTH, *_LOOKS)
_TO_LAST = (*_TO_SEVENTH, *2 * tuple(_SEVENTH))

# Of the others the low level is always told the subtask; from the fourth run on, of all.
_ALSO_FROM_THE_GOAL = ('find_object', 'chopstick', 'open_refrigerator')
# How often a task is drawn, run by run: by how many skills it has, and by how far it is behind.
_WEIGHTED_RUNS = ('first', 'third', 'low 4', 'low 5', 'low last',
                  'high 4', 'high 5', 'high 6', 'high 7', 'high 9', 'high last')
_WEIGHTS_BY_TASK = {
    'find_object':       (1.1, 0.9, 1.3, 0.7, 1.0, 6.0, 1.2, 0.9, 1.3, 1.3, 1.0),
    'swap_mugs':         (1.3, 1.6, 0.7, 0.7, 1.4, 2.0, 2.0, 1.2, 1.4, 1.4, 2.5),
    'unpack_groceries':  (1.1, 1.1, 1.6, 0.7, 7.0, 1.5, 1.4, 2.2, 6.0, 3.0, 2.0),
    'scoop_coffee':      (1.3, 1.6, 0.6, 0.6, 1.0, 0.6, 1.0, 0.8, 0.9, 0.9, 2.0),
    'grilled_cheese':    (1.1, 0.8, 0.6, 0.6, 1.0, 0.4, 1.0, 0.8, 0.9, 0.9, 0.8),
    'window_cleaning':   (1.3, 0.9, 1.4, 1.4, 1.2, 1.5, 1.0, 1.2, 0.9, 0.9, 1.0),
    'chopstick':         (0.7, 0.7, 1.1, 0.7, 1.2, 0.7, 0.8, 0.6, 0.9, 0.9, 1.5),
    'open_refrigerator': (0.9, 0.9, 0.5, 0.4, 1.0, 0.9, 0.8, 0.6, 0.7, 0.7, 0.6),
    'recipe_setup':      (1.3, 1.6, 2.0, 1.8, 2.0, 0.8, 1.8, 3.0, 2.6, 2.6, 2.6),
    'clean_kitchen':     (1.4, 1.1, 0.8, 1.8, 2.0, 1.0, 1.8, 2.5, 1.4, 2.8, 1.8),
    'clean_up_counter':  (0.5, 1.1, 1.5, 1.8, 1.2, 0.3, 0.7, 0.7, 0.6, 0.6, 1.0),
    'kitchen_cleanup':   (0.6, 1.3, 1.3, 1.8, 1.2, 0.3, 0.7, 0.7, 0.6, 0.6, 1.0),
    'table_bussing':     (0.9, 1.1, 1.4, 1.8, 1.2, 0.3, 0.9, 0.8, 0.6, 0.6, 2.5),
}
_WEIGHTS = {run: dict(zip(_WEIGHTS_BY_TASK, column, strict=True)) for run, column in zip(
    _WEIGHTED_RUNS, zip(*_WEIGHTS_BY_TASK.values(), strict=True), strict=True)}
_SHARED = {'clip_frames': 20, 'bfloat16': True, 'task_weights': _WEIGHTS['first']}


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


def needs_of(variant: str) -> dict[str, set[str]]:
    """Return all demonstrations and runs of a variant, with those that each must wait for."""
    runs = runs_of(variant)
    needs = {name: {DEMONSTRATIONS[name].learner} - {''} for run in runs for name in run.data}
    return needs | {
        run.name: {run.start, run.share_of, *run.data} - {''} for run in runs}


def ready(waiting: Mapping[str, set[str]], done: Collection[str]) -> list[str]:
    """Return what can begin, given what is done, in the order in which it waits."""
    return [name for name, needs in waiting.items() if needs <= set(done)]


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
    return Run(name, 'low', start, data, {**_SHARED, 'history_dropout': 0.2, **settings})


def _high_level(name: str, start: str, data: tuple[str, ...], **settings: Any) -> Run:
    return Run(name, 'high', start, data, {**_SHARED, **settings})


def _motion(memory: str = 'video') -> dict[str, Any]:
    return {'memory': memory, 'expert_reads_motion': True}


_GOAL_TOO = {'subtask_dropout': 0.25,
             'told_tasks': sorted(set(_WEIGHTS['first']) - set(_ALSO_FROM_THE_GOAL))}
# The gripper counts less, or the moment at which it closes would rule the loss. Late rows of a
# chunk, which are never executed, count less too.
_LATER = {'muon_rate': 1.5e-3, 'action_weights': (1, 1, 1, 1, 1, 1, 0.2), 'row_decay': 0.92}
_TOLD = {**_LATER, 'subtask_dropout': 0.0}
# What these data do not show well enough must not be forgotten.
_TOLD_GENTLY = {**_TOLD, 'muon_rate': 4e-4, 'adamw_rate': 2e-4}
_LOW = [
    # Schedules that are not played to the end: these make learners to correct.
    _low_level('first_low', '', tuple(_FIRST), steps=2600, stop_after=923, muon_rate=2e-3,
               action_weights=(1, 1, 1, 1, 1, 1, 0.1), **_GOAL_TOO, model_changes=_motion()),
    _low_level('second_low', 'first_low', _TO_SECOND, steps=2100, stop_after=1043, **_LATER,
               **_GOAL_TOO, model_changes=_motion()),
    _low_level('third_low', 'second_low', _TO_THIRD, steps=1250, **_LATER, **_GOAL_TOO,
               task_weights=_WEIGHTS['third'], model_changes=_motion()),
    _low_level('fourth_low', 'third_low', _TO_FOURTH, steps=2300, **_TOLD,
               task_weights=_WEIGHTS['low 4'], model_changes=_motion()),
    _low_level('fifth_low', 'fourth_low', _TO_FIFTH, steps=1350, **_TOLD, start_share=0.5,
               task_weights=_WEIGHTS['low 5'], model_changes=_motion()),
    _low_level('low_video', 'fifth_low', _TO_SEVENTH, steps=300, **_TOLD_GENTLY,
               task_weights=_WEIGHTS['low last'], model_changes=_motion())]
# Without video memory the low level sees the present alone, and is told what to do as before.
_LOW_NONE = _low_level(
    'low_none', 'low_video', _TO_SEVENTH, steps=150, **_TOLD_GENTLY,
    task_weights=_WEIGHTS['low last'], model_changes=_motion('none'))

# How many packages are in the bag is new in one decision of an episode; all others could copy.
_STALE = {'stale_memory': 0.12, 'stale_memory_of': {'unpack_groceries': 0.7}}
_HIGH = [
    _high_level('first_high', '', tuple(_FIRST), steps=2400, stop_after=764),
    _high_level('second_high', 'first_high', _TO_SECOND, steps=1900, stop_after=876,
                muon_rate=1.5e-3),
    _high_level('third_high', 'second_high', _TO_THIRD, steps=1050, muon_rate=1.5e-3,
                task_weights=_WEIGHTS['third']),
    _high_level('fourth_high', 'third_high', _TO_THIRD, steps=700, muon_rate=1.5e-3,
                stale_memory=0.5, task_weights=_WEIGHTS['high 4']),
    _high_level('fifth_high', 'fourth_high', _TO_FOURTH, steps=2000, muon_rate=1.5e-3,
                stale_memory=0.12, task_weights=_WEIGHTS['high 5']),
    _high_level('sixth_high', 'fifth_high', _TO_FIFTH, steps=900, muon_rate=1.5e-3,
                stale_memory=0.12, start_share=0.5, task_weights=_WEIGHTS['high 6']),
    _high_level('seventh_high', 'sixth_high', _TO_SIXTH, steps=800, muon_rate=1.5e-3, **_STALE,
                task_weights=_WEIGHTS['high 7']),
    # Many short parts, half of them looks into the bag: learns to count.
    _high_level('eighth_high', 'seventh_high', _TO_SEVENTH, steps=200, muon_rate=1.5e-3, **_STALE,
                clip_frames=8, episodes_per_batch=12,
                task_weights={**_WEIGHTS['high 7'], 'unpack_groceries': 13.0})]


# Gently; and where the last subtask was copied for ever, it can't be relied on.
_LAST = {**_STALE, 'muon_rate': 4e-4, 'adamw_rate': 2e-4,
         'task_weights': _WEIGHTS['high last'],
         'misheard_subtask_of': {'table_bussing': 0.4, 'kitchen_cleanup': 0.4,
                                 'swap_mugs': 0.3, 'scoop_coffee': 0.3}}


def _high_levels(name: str, memory: str, memory_mode: str) -> list[Run]:
    """Return the two runs of the high level that are a variant's own."""
    own = {'memory_mode': memory_mode, 'model_changes': {'memory': memory}}
    return [
        _high_level(f'ninth_{name}', 'eighth_high', _TO_SEVENTH, steps=450, muon_rate=1.5e-3,
                    **_STALE, task_weights=_WEIGHTS['high 9'], **own),
        _high_level(f'high_{name}', f'ninth_{name}', _TO_LAST, steps=300, **_LAST, **own)]


def _with_share(run: Run, other: str, share: float) -> Run:
    """Let the checkpoint take a share of an earlier run: the last ones forget some tasks."""
    return replace(run, share_of=other, settings={**run.settings, 'start_share': share})


def _both() -> list[Run]:
    ninth, last = _high_levels('video', 'video', 'language')
    # Baselines take no share of earlier weights: these have other memories.
    return [*_LOW, *_HIGH, _with_share(ninth, 'sixth_high', 0.4),
            _with_share(last, 'sixth_high', 0.25)]


def _variant(name: str, memory: str, memory_mode: str) -> list[Run]:
    return [*_LOW, *_HIGH, *([] if memory == 'video' else [_LOW_NONE]),
            *_high_levels(name, memory, memory_mode)]


def _horizon(name: str, start: str, frames: int) -> Run:
    """Go on with fewer or more frames of video memory, and no other."""
    return _high_level(
        name, start, _TO_LAST, steps=300, **{**_LAST, 'muon_rate': 1.5e-3, 'adamw_rate': 1e-3},
        memory_mode='none', model_changes={'memory': 'video', 'frames': frames})


_NO_LANGUAGE = _variant('no_language', 'video', 'none')
_HORIZON_6 = [*_NO_LANGUAGE, _horizon('high_horizon_6', 'high_no_language', 6)]
_INSULATED = {'fast_vocab_size': 512, 'knowledge_insulation': True}


def _alone(
    name: str, memory: str, first_memory: str = '', begin: str = '', **changes: Any,
) -> list[Run]:
    """
    Learn one task from random weights, told the goal and nothing else, in two phases.

    :param first_memory: Memory of the first phase, if it is another one.
    :param begin: Name of the first phase, where it is not that of its memory.
    """
    first_memory = first_memory or memory
    begin = f'begin_{begin or first_memory}'
    shared: dict[str, Any] = {
        'subtask_dropout': 1.0, 'task_weights': {}, 'history_dropout': 0.1,
        'action_weights': _LATER['action_weights'], 'row_decay': _LATER['row_decay']}
    return [
        _low_level(begin, '', tuple(_ALONE), steps=700, **shared,
                   model_changes={**_motion(first_memory), **changes}),
        _low_level(name, begin, tuple(_ALONE), steps=300, muon_rate=1.5e-3, **shared,
                   model_changes={**_motion(memory), **changes})]


VARIANTS: dict[str, list[Run]] = {
    'both': _both(),
    **{name: _variant(name, memory, memory_mode) for name, memory, memory_mode in (
        ('no_memory', 'none', 'none'),
        ('pool', 'pool', 'none'),
        ('proprio', 'proprio', 'none'))},
    'no_language': _NO_LANGUAGE,
    'naive': _variant('naive', 'video', 'naive'),
    'no_video': _variant('no_video', 'none', 'language'),
    'horizon_6': _HORIZON_6,
    'horizon_18': [*_HORIZON_6, _horizon('high_horizon_18', 'high_horizon_6', 18)],
    'alone_video': _alone('alone_video', 'video'),
    'alone_no_memory': _alone('alone_no_memory', 'none'),
    'alone_pool': _alone('alone_pool', 'pool'),
    'alone_proprio': _alone('alone_proprio', 'proprio'),
    'alone_post_train': _alone('alone_post_train', 'video', 'none'),
    'alone_insulated': _alone('alone_insulated', 'video', begin='insulated', **_INSULATED),
}
