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

"""The suite as a whole: every task has an expert, a rubric, a chance level and a name."""

import json

import numpy as np
import pytest

from mem_vla_ros.core.text import MAX_GOAL_CHARS, MAX_MEMORY_CHARS, MAX_SUBTASK_CHARS
from mem_vla_ros.sim.arm_limits import LOWER, UPPER, VELOCITY
from mem_vla_ros.sim.expert_success import EpisodeResult, measure_expert
from mem_vla_ros.sim.experts.expert import Expert
from mem_vla_ros.sim.experts.registry import DIRECTORS
from mem_vla_ros.sim.gym_registration import TASK_NAMES
from mem_vla_ros.sim.rollout import run_expert
from mem_vla_ros.sim.task_table import (
    ExpertRecord,
    list_tasks,
    markdown_table,
    record_of,
    records_as_json,
    stored_records,
)
from mem_vla_ros.sim.tasks.registry import TASKS
from mem_vla_ros.sim.world import World


def test_every_task_has_an_expert_and_an_environment():
    assert set(TASKS) == set(DIRECTORS) == set(TASK_NAMES)
    assert len(TASKS) == 13
    assert [row['task'] for row in list_tasks()] == list(TASKS)


def test_every_expert_was_measured_to_solve_98_per_cent():
    records = stored_records()
    assert set(records) == set(TASKS)
    for record in records.values():
        assert record.episodes >= 50
        assert record.solved >= 0.98 * record.episodes


def test_measured_records_survive_their_file():
    results = [EpisodeResult('chopstick', seed, seed > 0, 2.0, 6.0 + seed, '')
               for seed in range(3)]
    record = record_of(results)
    assert record == ExpertRecord(solved=2, episodes=3, mean_duration_s=7.0)
    text = records_as_json({'chopstick': record})
    assert json.loads(text) == {
        'chopstick': {'solved': 2, 'episodes': 3, 'mean_duration_s': 7.0}}
    assert '| chopstick |' in markdown_table({'chopstick': record})


@pytest.mark.parametrize('task', TASKS)
def test_world_is_played_from_json_within_limits(task):
    world, expert = World(task, seed=5), Expert(task)
    assert 0.0 < world.task.chance <= 1.0
    assert len(world.goal) <= MAX_GOAL_CHARS
    oracle = json.dumps(world.oracle())
    assert len(oracle) < 2500
    subtask, memory, reference = '', '', world.reference
    for _ in range(20):
        oracle = json.loads(json.dumps(world.oracle()))
        decision = expert.decide(oracle, memory, subtask)
        subtask, memory = decision.subtask, decision.memory
        chunk = expert.chunk(
            world.time, world.joint_positions, reference, oracle, subtask, rows=16)
        np.testing.assert_array_equal(chunk[0], reference)
        assert (chunk >= LOWER - 1e-9).all() and (chunk <= UPPER + 1e-9).all()
        assert (np.abs(np.diff(chunk, axis=0)) <= 0.1 * VELOCITY + 1e-9).all()
        for row in chunk[1:6]:
            world.step(row, 0.1)
        reference = world.reference


@pytest.mark.parametrize('task', ['table_bussing', 'clean_up_counter', 'kitchen_cleanup'])
def test_expert_solves_the_tasks_without_memory(task):
    world = World(task)
    world.reset(1)
    for step in run_expert(world, Expert(task)):
        assert len(step.subtask) <= MAX_SUBTASK_CHARS
        assert len(step.memory) <= MAX_MEMORY_CHARS
    assert world.score().success
    assert world.score().points == world.task.max_points


def test_expert_makes_mistakes_on_purpose_and_corrects_them():
    world, expert = World('scoop_coffee'), Expert('scoop_coffee', mistakes=0.4)
    world.reset(2)
    failed = [step for step in run_expert(world, expert, 0.01, 2) if step.succeeded is False]
    assert failed
    assert world.score().success


def test_measuring_in_processes_gives_the_same_results():
    assert measure_expert('chopstick', 2, workers=2) == measure_expert('chopstick', 2)


@pytest.mark.parametrize(
    'task', ['clean_kitchen', 'window_cleaning', 'unpack_groceries', 'scoop_coffee'])
def test_what_is_not_over_is_not_remembered_yet(task):
    world, last = World(task, seed=5), ('', '')
    memories = 0
    for step in run_expert(world, Expert(task)):
        if step.memory != last[1]:
            memories += 1
            # What a look shows is remembered while it lasts: that is what it is for. A lid that
            # is off is off before the hand has risen.
            assert step.subtask != last[0] or step.subtask in (
                'look into the bag', 'pick up the lid')
        last = step.subtask, step.memory
    assert memories >= 3
    world.close()


def test_expert_that_takes_a_thing_for_another_does_not_miss():
    # In this episode a mistake would move a mug to where the subtask's words do not fit it.
    world = World('swap_mugs', seed=101015)
    for _ in run_expert(world, Expert('swap_mugs', mistakes=0.2), noise=0.02, seed=101015):
        pass
    assert world.score().success
    world.close()
