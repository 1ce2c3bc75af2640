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

``scratch`` is what ships: both levels from random weights, in about 90 minutes. ``both`` is what
the baselines are compared with: its levels begin with given weights, which an older recipe has
made (docs/training.md). The low level stays as it is. The high level goes on, from demonstrations
and from corrections of a low level that learns from random weights. A baseline has the same low
level, or one that goes on without video memory; its high level has the same start, steps and data
and another memory. Variants named ``alone`` are low levels that learn one task from random
weights. Runs that variants share are trained once.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
import math
from typing import Any

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.weights import FIRST_LOW, OLDER_HIGH, OLDER_LOW


@dataclass(frozen=True)
class Demonstrations:
    """
    A folder of demonstrations, by what ``memvla collect`` is asked for.

    :param mistakes: Share of the pick-ups that the expert misses on purpose and repeats.
    :param learner: Run whose policy drives in turn with the expert; empty for none.
    :param longest_s: Only so much of an episode is recorded [s].
    :param late: Share of the decisions that the expert hears seconds late.
    :param slip: Share of the grasps that slip.
    """

    task: str
    episodes: int
    first_seed: int = 100000
    noise: float = 0.02
    mistakes: float = 0.1
    learner: str = ''
    longest_s: float = math.inf
    late: float = 0.12
    slip: float = 0.0


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


# By task: demonstrations of the expert, corrections of the first low level, and how often either
# level draws it, which is by how much there is to learn.
_TASKS = {
    'find_object':       (180, 24, 1.2, 1.4),
    'swap_mugs':         (200, 24, 1.6, 2.0),
    'unpack_groceries':  (150, 14, 1.4, 2.5),
    'scoop_coffee':      (150, 16, 1.2, 1.4),
    'grilled_cheese':    (130, 10, 1.0, 0.8),
    'window_cleaning':   (180, 24, 1.3, 1.4),
    'chopstick':         (180, 24, 1.2, 1.0),
    'open_refrigerator': (130, 10, 0.8, 0.8),
    'recipe_setup':      (180, 16, 2.0, 3.0),
    'clean_kitchen':     (110, 12, 1.8, 2.2),
    'clean_up_counter':  (110, 16, 1.3, 1.0),
    'kitchen_cleanup':   (110, 18, 1.5, 1.2),
    'table_bussing':     (100, 14, 1.8, 1.6),
}
# Where a hand that closed on nothing looks as if it had put down what it held.
_SLIPS = {'find_object': 0.15, 'recipe_setup': 0.15}
_EXPERT = {task: Demonstrations(task, episodes, slip=_SLIPS.get(task, 0.0))
           for task, (episodes, *_) in _TASKS.items()}


def _corrections(
    kind: str, learner: str, first_seed: int, episodes: Mapping[str, int],
) -> dict[str, Demonstrations]:
    return {f'{task}_{kind}': Demonstrations(
        task, count, first_seed, noise=0.0, mistakes=0.0, learner=learner)
        for task, count in episodes.items()}


_CORRECTED = _corrections('corrected', 'first_low', 102000, {
    task: episodes for task, (_, episodes, *_) in _TASKS.items()})
_CORRECTED_AGAIN = _corrections('corrected_again', 'scratch_low', 103000, {
    'chopstick': 30, 'recipe_setup': 18, 'clean_up_counter': 20, 'kitchen_cleanup': 20,
    'table_bussing': 16})
# A low level that has missed tries again where it is, further and further beside the thing.
_CORRECTED_MORE = _corrections('corrected_more', 'scratch_low', 104000, {
    'find_object': 40, 'recipe_setup': 42})
# How many packages are in the bag is new in one decision of an episode; all others could copy.
_LOOKS = {'unpack_groceries_looks': Demonstrations(
    'unpack_groceries', 300, 130000, mistakes=0.0, longest_s=5.0)}
_ALONE = {
    'alone': Demonstrations('find_object', 300, 120000, mistakes=0.0, late=0.0),
    'alone_mistakes': Demonstrations('find_object', 100, 121000, mistakes=0.3, late=0.0)}
DEMONSTRATIONS = {
    **_EXPERT, **_CORRECTED, **_CORRECTED_AGAIN, **_CORRECTED_MORE, **_LOOKS, **_ALONE}
_FIRST = tuple(_EXPERT)
_SECOND = (*_EXPERT, *2 * tuple(_CORRECTED))
_THIRD = (*_SECOND, *3 * tuple(_CORRECTED_AGAIN))
_LOW_WEIGHTS = {task: low for task, (_, _, low, _) in _TASKS.items()}
_HIGH_WEIGHTS = {task: high for task, (*_, high) in _TASKS.items()}


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


def needs_of(variant: str, taken: Collection[str] = ()) -> dict[str, set[str]]:
    """
    Return the demonstrations and runs of a variant, with those that each must wait for.

    :param taken: Runs that are not done again; what only they learn from is left out.
    """
    runs = [run for run in runs_of(variant) if run.name not in taken]
    needs = {name: {DEMONSTRATIONS[name].learner} - {''} for run in runs for name in run.data}
    return needs | {run.name: {run.start, *run.data} - {''} for run in runs}


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


# The gripper counts less, or the moment at which it closes would rule the loss. Late rows of a
# chunk, which are never executed, count less too.
_ACTIONS = {'action_weights': (1, 1, 1, 1, 1, 1, 0.2), 'row_decay': 0.92}
_SPEED = {'clip_frames': 20, 'bfloat16': True}
# With 2e-3 and 1e-3 a low level from random weights did half as well after as many steps.
_FAST = {'muon_rate': 5e-3, 'adamw_rate': 3e-3}
# Where much is alike, the last subtask would be recited whatever the hand holds.
_MISHEARD = {'table_bussing': 0.3, 'kitchen_cleanup': 0.3, 'clean_up_counter': 0.2,
             'swap_mugs': 0.3, 'scoop_coffee': 0.3}
_GENTLE = {'muon_rate': 1e-3, 'adamw_rate': 5e-4}


def _low_level(
    name: str, start: str, data: tuple[str, ...], memory: str = 'video', **settings: Any,
) -> Run:
    return Run(name, 'low', start, data, {
        **_SPEED, **_ACTIONS, 'task_weights': _LOW_WEIGHTS, 'history_dropout': 0.2,
        'subtask_dropout': 0.0,
        'model_changes': {'memory': memory, 'expert_reads_motion': True}, **settings})


def _high_level(
    name: str, start: str, steps: int, memory: str, memory_mode: str,
    data: tuple[str, ...] = (*_SECOND, *_LOOKS), model_changes: dict[str, Any] | None = None,
    **settings: Any,
) -> Run:
    return Run(name, 'high', start, data, {
        **_SPEED, **_GENTLE, 'steps': steps, 'task_weights': _HIGH_WEIGHTS,
        'memory_mode': memory_mode, 'model_changes': {'memory': memory, **(model_changes or {})},
        'change_weight': 3.0, 'stale_memory': 0.12,
        'stale_memory_of': {'unpack_groceries': 0.6, 'find_object': 0.3},
        'misheard_subtask_of': _MISHEARD, **settings})


# Its mistakes are what the high level shall have seen.
_FIRST_LOW = _low_level('first_low', '', _FIRST, steps=1400, **_FAST)
# Without video memory the low level sees the present alone, and is told what to do as before.
_LOW_NONE = _low_level('low_none', 'low_video', _SECOND, 'none', steps=150, **_GENTLE)
# Starts that no run makes: their weights are in the repository.
GIVEN = {'low_video': OLDER_LOW, 'older_high': OLDER_HIGH}
# A run that variants share and of which the weights are there: it can be taken instead of trained.
SHIPPED = {'first_low': FIRST_LOW}


def _variant(name: str, memory: str, memory_mode: str) -> list[Run]:
    return [_FIRST_LOW, *([] if memory == 'video' else [_LOW_NONE]),
            _high_level(f'high_{name}', 'older_high', 700, memory, memory_mode)]


def _horizon(frames: int, start: str) -> Run:
    """Go on with fewer or more frames of video memory, and no other."""
    return _high_level(
        f'high_horizon_{frames}', start, 300, 'video', 'none', model_changes={'frames': frames})


# Who has looked back from the first step on need not learn it late. Instead of counting more,
# changes are drawn more often: what only copies costs as much time.
_LOOKING_BACK = {
    'episodes_per_batch': 5, 'change_weight': 1.0, 'copy_share': 0.33,
    'misheard_subtask_of': {**_MISHEARD, 'recipe_setup': 0.25, 'find_object': 0.2},
    'stale_memory': 0.25, 'stale_memory_of': {
        'find_object': 0.5, 'swap_mugs': 0.4, 'unpack_groceries': 0.6, 'scoop_coffee': 0.35,
        'grilled_cheese': 0.3, 'window_cleaning': 0.4, 'chopstick': 0.35,
        'open_refrigerator': 0.4, 'recipe_setup': 0.35}}
# What needs the oldest frames is learned last, so it is drawn more often.
_LOOKING_BACK_WEIGHTS = {
    **_HIGH_WEIGHTS, 'find_object': 4.0, 'swap_mugs': 4.0, 'open_refrigerator': 2.2,
    'unpack_groceries': 1.6}
_SCRATCH = [
    _FIRST_LOW,
    _high_level(
        'scratch_begin', '', 2000, 'video', 'language', (*_FIRST, *_LOOKS), **_LOOKING_BACK,
        task_weights=_LOOKING_BACK_WEIGHTS, muon_rate=4e-3, adamw_rate=2e-3, final_rate_share=0.3),
    _low_level(
        'scratch_low', 'first_low', _SECOND, steps=3200, muon_rate=4e-3, adamw_rate=2e-3,
        task_weights={
            **_LOW_WEIGHTS, 'recipe_setup': 4.0, 'window_cleaning': 2.4, 'table_bussing': 1.3,
            'kitchen_cleanup': 1.1, 'clean_up_counter': 1.0}),
    _high_level(
        'scratch_high', 'scratch_begin', 2600, 'video', 'language', **_LOOKING_BACK,
        task_weights=_LOOKING_BACK_WEIGHTS, muon_rate=3e-3, adamw_rate=1.5e-3),
    _low_level(
        'scratch_low_last', 'scratch_low',
        (*_SECOND, *2 * tuple(_CORRECTED_AGAIN), *4 * tuple(_CORRECTED_MORE)), steps=1800,
        muon_rate=3e-3, adamw_rate=1.5e-3, task_weights={
            **_LOW_WEIGHTS, 'window_cleaning': 2.2, 'chopstick': 2.0, 'recipe_setup': 4.5,
            'clean_kitchen': 2.2}),
    _high_level(
        'scratch_high_last', 'scratch_high', 1500, 'video', 'language', (*_THIRD, *_LOOKS),
        **_LOOKING_BACK, muon_rate=2e-3, adamw_rate=1e-3,
        task_weights={
            **_LOOKING_BACK_WEIGHTS, 'find_object': 3.0, 'swap_mugs': 3.0, 'recipe_setup': 5.0,
            'clean_kitchen': 3.0, 'window_cleaning': 1.8, 'clean_up_counter': 1.5,
            'kitchen_cleanup': 1.8, 'table_bussing': 2.0}),
]
_NO_LANGUAGE = _variant('no_language', 'video', 'none')
_HORIZON_6 = [*_NO_LANGUAGE, _horizon(6, 'high_no_language')]
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
    first = f'begin_{begin or first_memory}'

    def phase(name: str, start: str, steps: int, memory: str, rate: float) -> Run:
        return _low_level(
            name, start, tuple(_ALONE), steps=steps, subtask_dropout=1.0, task_weights={},
            history_dropout=0.1, muon_rate=rate, adamw_rate=1e-3,
            model_changes={'memory': memory, 'expert_reads_motion': True, **changes})

    return [phase(first, '', 700, first_memory, 2e-3), phase(name, first, 300, memory, 1.5e-3)]


VARIANTS: dict[str, list[Run]] = {
    'scratch': _SCRATCH,
    'both': _variant('video', 'video', 'language'),
    **{name: _variant(name, memory, memory_mode) for name, memory, memory_mode in (
        ('no_memory', 'none', 'none'),
        ('pool', 'pool', 'none'),
        ('proprio', 'proprio', 'none'))},
    'no_language': _NO_LANGUAGE,
    'naive': _variant('naive', 'video', 'naive'),
    'no_video': _variant('no_video', 'none', 'language'),
    'horizon_6': _HORIZON_6,
    'horizon_18': [*_HORIZON_6, _horizon(18, 'high_horizon_6')],
    'alone_video': _alone('alone_video', 'video'),
    'alone_no_memory': _alone('alone_no_memory', 'none'),
    'alone_pool': _alone('alone_pool', 'pool'),
    'alone_proprio': _alone('alone_proprio', 'proprio'),
    'alone_post_train': _alone('alone_post_train', 'video', 'none'),
    'alone_insulated': _alone('alone_insulated', 'video', begin='insulated', **_INSULATED),
}
