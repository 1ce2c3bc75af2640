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


"""An expert that corrects a learner: turns, what is marked, and what it leads to."""

from functools import partial

import numpy as np
import pytest

from mem_vla_ros.sim.collect import collect, CollectSettings
from mem_vla_ros.sim.experts.expert import Expert
from mem_vla_ros.sim.recording import record_corrections
from mem_vla_ros.sim.rollout import run_corrected
from mem_vla_ros.sim.world import World

AWAY = np.array([0.04, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])


class Drifting:
    """Always turns away to one side, three rows at a time."""

    def __init__(self):
        self.subtasks, self.seen, self.seeds = [], [], []

    def reset(self, world, seed):
        self.seeds.append(seed)

    def see(self, world):
        self.seen.append(world.time)

    def drive(self, world, subtask):
        self.subtasks.append(subtask)
        return [world.reference + (row + 1) * AWAY for row in range(3)]


@pytest.fixture
def world():
    world = World('chopstick', image_size=16)
    yield world
    world.close()


def test_the_expert_solves_the_task_in_turn_with_a_learner_that_leads_away(world):
    learner = Drifting()
    recording = record_corrections(world, Expert('chopstick'), learner, seed=3, told=0.0)
    entry, driven = recording.entry, np.array(recording.entry['mistakes'])
    assert entry['success'] and learner.seeds == [3]
    assert len(learner.seen) == entry['steps'] > len(driven) > 15
    turns = np.split(driven, np.flatnonzero(np.diff(driven) > 1) + 1)
    assert all(20 <= len(turn) <= 101 for turn in turns[:-1])
    # Where the learner drives, its rows are executed; where the expert does, the arm comes back.
    moves = np.diff(recording.actions[:, 0])
    inside = driven[:-1][np.diff(driven) == 1]
    np.testing.assert_allclose(moves[inside], AWAY[0], atol=1e-5)
    assert moves[turns[0][-1] + 1:turns[0][-1] + 8].min() < -AWAY[0]


@pytest.mark.parametrize(('told', 'expected'), [(0.0, False), (1.0, True)])
def test_a_learner_is_told_the_subtask_in_a_share_of_its_turns(world, told, expected):
    world.reset(7)
    learner = Drifting()
    steps = list(run_corrected(world, Expert('chopstick'), learner, 7, told))
    assert {bool(subtask) for subtask in learner.subtasks} == {expected}
    assert all(step.subtask for step in steps)


def test_equal_seeds_give_equal_episodes(tmp_path):
    settings = CollectSettings('chopstick', 16, compress=False)
    collect_here = partial(collect, settings, 2, progress=False, make_learner=Drifting)
    one, two = collect_here(tmp_path / 'one'), collect_here(tmp_path / 'two')
    assert one.entries == two.entries
    np.testing.assert_array_equal(one[1].actions, two[1].actions)
    assert any(entry['mistakes'] for entry in one.entries)
