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

"""Fifteen minutes of kitchen through the high-level loop, with rule-based memories."""

from pathlib import Path

import numpy as np
import pytest

from mem_vla_ros.core.errors import PolicyError
from mem_vla_ros.core.types import JointStack, Observation
from mem_vla_ros.memory.journal import Journal, read_episode
from mem_vla_ros.memory.memory_budget import MemoryBudget
from mem_vla_ros.policies.high_level_loop import HighLevelLoop
from mem_vla_ros.policies.high_level_settings import HighLevelSettings
from mem_vla_ros.training.labels.kitchen_episode import make_kitchen_episode
from mem_vla_ros.training.labels.label_replay_policy import LabelReplayPolicy
from mem_vla_ros.training.labels.labeller import Labeller


def observe(stamp: float) -> Observation:
    joints = JointStack(np.zeros((1, 1)), np.array([stamp]), np.array([True]))
    return Observation(stamp, {}, joints)


def test_kitchen_episode_is_the_same_for_a_seed_and_as_long_as_asked() -> None:
    episode = make_kitchen_episode(seed=3, duration_s=900.0)
    assert episode == make_kitchen_episode(seed=3, duration_s=900.0)
    assert episode != make_kitchen_episode(seed=4, duration_s=900.0)
    assert 900.0 <= episode.subtasks[-1].end < 960.0
    assert any(not subtask.succeeded for subtask in episode.subtasks)


def test_fifteen_minutes_of_kitchen_leave_the_labels_in_the_journal(tmp_path: Path) -> None:
    episode = make_kitchen_episode()
    records = Labeller(MemoryBudget()).label(episode)
    loop = HighLevelLoop(
        LabelReplayPolicy(records), 'labels', HighLevelSettings(), Journal(tmp_path, fsync=False))
    name = loop.start(0.0, episode.goal).episode
    for second in range(int(records[-1].end) + 1):
        state = loop.step(observe(float(second)), float(second), float)
        assert state is not None
        assert state.status == 'ok'
    written = [record.state.memory for record in read_episode(tmp_path, name)
               if record.state.memory != record.state.previous_memory]
    expected = [record.next_memory for record in records if record.next_memory != record.memory]
    assert written == expected
    assert len(loop.versions) == len(expected) + 1


def test_replay_begins_again_after_a_reset() -> None:
    records = Labeller(MemoryBudget()).label(make_kitchen_episode(duration_s=60.0))
    policy = LabelReplayPolicy(records)
    first = policy.decide(observe(100.0), '', '', '')
    assert policy.decide(observe(150.0), '', '', '') != first
    policy.reset()
    assert policy.decide(observe(500.0), '', '', '') == first


def test_replay_without_records_is_refused() -> None:
    with pytest.raises(PolicyError):
        LabelReplayPolicy([])
