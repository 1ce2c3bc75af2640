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


"""Tests of how the variants of the results are trained."""

import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.evaluation.comparisons import ALONE_VARIANTS, LONG_VARIANTS, SUITE_VARIANTS
from mem_vla_ros.evaluation.comparisons import VARIANTS as COMPARED
from mem_vla_ros.models.presets import preset
from mem_vla_ros.sim.seeds import TRAINING
from mem_vla_ros.sim.tasks.registry import TASKS
from mem_vla_ros.training.recipe import (
    DEMONSTRATIONS,
    GIVEN,
    learners_of,
    needs_of,
    ready,
    runs_of,
    SHIPPED,
    VARIANTS,
)
from mem_vla_ros.training.train_config import train_preset


@pytest.mark.parametrize('name', DEMONSTRATIONS)
def test_demonstrations_are_of_a_task_and_of_training_seeds(name):
    wanted = DEMONSTRATIONS[name]
    assert wanted.task in TASKS
    assert wanted.first_seed in TRAINING
    assert wanted.first_seed + wanted.episodes - 1 in TRAINING


def test_folders_of_one_task_share_no_seed():
    seen = set()
    for wanted in DEMONSTRATIONS.values():
        seeds = {(wanted.task, wanted.first_seed + i) for i in range(wanted.episodes)}
        assert not seeds & seen
        seen |= seeds


@pytest.mark.parametrize('variant', VARIANTS)
def test_runs_of_a_variant_can_be_done_in_order(variant):
    done = {'', *GIVEN}
    for run in runs_of(variant):
        assert run.start in done
        assert set(run.data) <= set(DEMONSTRATIONS)
        config = train_preset(run.preset, **run.settings, start_from=run.start)
        preset(config.model, **config.model_changes)
        done.add(run.name)


@pytest.mark.parametrize('variant', VARIANTS)
def test_learners_are_trained_before_their_corrections_are_learned(variant):
    done = set()
    for run in runs_of(variant):
        assert learners_of(run) <= done
        done.add(run.name)


@pytest.mark.parametrize('variant', VARIANTS)
def test_everything_is_ready_at_last_and_never_before_what_it_needs(variant):
    waiting, done = needs_of(variant), set(GIVEN)
    assert {run.name for run in runs_of(variant)} <= set(waiting)
    while waiting:
        names = ready(waiting, done)
        assert names
        for name in names:
            assert waiting.pop(name) <= done
        done |= set(names)


def test_nothing_is_collected_for_runs_that_are_taken():
    assert not needs_of('both', {*GIVEN, 'first_low', 'high_video'})
    assert 'find_object_corrected' in needs_of('pool', {*GIVEN, *SHIPPED})
    assert 'first_low' not in needs_of('pool', {*GIVEN, *SHIPPED})


def test_no_run_has_the_name_of_demonstrations():
    names = {run.name for runs in VARIANTS.values() for run in runs}
    assert not names & set(DEMONSTRATIONS)


def test_everything_that_is_compared_can_be_trained():
    assert list(VARIANTS) == list(COMPARED)


def test_one_name_is_one_run():
    runs = {}
    for variant in VARIANTS:
        for run in runs_of(variant):
            assert runs.setdefault(run.name, run) == run


@pytest.mark.parametrize(
    'variant', sorted({*SUITE_VARIANTS, *LONG_VARIANTS} - {'both', 'scratch'}))
def test_all_have_the_same_budget_and_differ_in_the_memory_of_the_last_run_alone(variant):
    def budget(name: str) -> list:
        return [(run.preset, run.data,
                 {**run.settings, 'model_changes': None, 'memory_mode': None})
                for run in VARIANTS[name] if run.preset == 'high']

    assert budget(variant) == budget('both')
    own, = [run for run in VARIANTS[variant]
            if run.preset == 'high' and run not in VARIANTS['both']]
    assert own.name == f'high_{variant}'
    assert own.start in GIVEN


def test_from_random_weights_is_from_random_weights():
    names = {run.name for run in runs_of('scratch')}
    assert {run.start for run in runs_of('scratch')} <= names | {''}


@pytest.mark.parametrize('variant', ALONE_VARIANTS)
def test_those_that_act_alone_begin_with_random_weights_and_have_equal_budgets(variant):
    def budget(name: str) -> list:
        return [(run.preset, run.data, {**run.settings, 'model_changes': None})
                for run in VARIANTS[name]]

    assert budget(variant) == budget('alone_video')
    assert VARIANTS[variant][0].start == ''
    memories = [run.settings['model_changes']['memory'] for run in VARIANTS[variant]]
    assert (memories[0] != memories[1]) == (variant == 'alone_post_train')


def test_unknown_variant_is_refused_with_the_nearest():
    with pytest.raises(ConfigError, match='no_memory'):
        runs_of('no_memry')
