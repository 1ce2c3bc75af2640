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

"""One episode in process: the loops around the policies, and what is told of it."""

from operator import eq

import pytest
from support.node_graph import ROBOT_FILE

from mem_vla_ros.core.errors import PolicyError
from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.evaluation.rollout import play_episode, RolloutSettings
from mem_vla_ros.policies.constant import ConstantPolicy
from mem_vla_ros.sim.expert_policy import ExpertHighLevel, ExpertLowLevel
from mem_vla_ros.sim.world import World

SEED = 1
STEP_S = 0.5


@pytest.fixture
def world():
    world = World('chopstick', image_size=16)
    yield world
    world.close()


def told(policy, world, method):
    """Return a scripted policy that looks at the world whenever it is asked."""
    answer = getattr(policy, method)

    def look_and_answer(*question):
        policy.set_oracle(world.oracle())
        return answer(*question)
    setattr(policy, method, look_and_answer)
    return policy


def low_level(world):
    return told(ExpertLowLevel(load_robot(ROBOT_FILE)), world, 'predict')


def high_level(world):
    return told(ExpertHighLevel(), world, 'decide')


def test_an_episode_ends_with_its_score_and_the_last_texts(world):
    texts = []
    row = play_episode(
        world, SEED, low_level(world), high_level(world), RolloutSettings(2, 0.2),
        lambda world, subtask, memory: texts.append((world.time, subtask, memory)))
    assert row['success'] and row['points'] == row['max_points'] == 2.0
    assert (row['seed'], row['reason'], row['refused']) == (SEED, 'task completed', 0)
    assert texts[-1][1:] == (row['subtask'], row['memory'])
    assert texts[0][0] == 0.0 and texts[-1][0] < row['time_s'] < world.task.time_limit


@pytest.mark.parametrize(('mode', 'memory'), [
    ('none', ''), ('naive', 'pick up the chopstick at the high level')])
def test_memory_is_kept_as_the_mode_says(world, mode, memory):
    row = play_episode(
        world, SEED, low_level(world), high_level(world),
        RolloutSettings(2, 0.2, memory_mode=mode))
    assert row['memory'].startswith(memory)
    assert bool(row['memory']) == bool(memory)


def test_naive_memory_notes_every_attempt_that_missed():
    world = World('chopstick', image_size=16, slip=0.5)
    row = play_episode(
        world, 3, low_level(world), high_level(world),
        RolloutSettings(2, 0.2, memory_mode='naive'))
    subtasks = row['memory'].split('; ')
    assert world.misses == 3  # the third ends the episode
    assert sum(map(eq, subtasks, subtasks[1:])) == 2
    world.close()


def test_refused_answers_are_counted_and_waited_after(world, monkeypatch):
    asked = []

    def refuse(observation, memory, goal, subtask):
        asked.append(world.time)
        raise PolicyError('no answer')
    monkeypatch.setattr(type(world.task), 'time_limit', 4.0)
    high = ExpertHighLevel()
    high.decide = refuse
    row = play_episode(
        world, SEED, ConstantPolicy(world.joint_names), high, RolloutSettings(5, 1.0))
    assert row['refused'] == len(asked) == 2
    assert asked == [0.0, pytest.approx(2.0)]
    assert row['reason'] == 'out of time: not picked up' and row['subtask'] == ''


def test_without_a_high_level_the_subtask_is_empty(world, monkeypatch):
    monkeypatch.setattr(type(world.task), 'time_limit', STEP_S)
    low, subtasks = ConstantPolicy(world.joint_names), []
    predict = low.predict
    low.predict = lambda observation, subtask, *rest: (
        subtasks.append(subtask), predict(observation, subtask, *rest))[1]
    row = play_episode(world, SEED, low)
    assert subtasks == [''] and row['time_s'] == STEP_S
