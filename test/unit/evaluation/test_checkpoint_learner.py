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


"""The shipped weights as a learner that the expert corrects."""

from contextlib import closing

import numpy as np
from support.node_graph import ROBOT_FILE

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.core.weights import LOW_LEVEL
from mem_vla_ros.evaluation.checkpoint_learner import CheckpointLearnerMaker
from mem_vla_ros.evaluation.rollout import play_episode
from mem_vla_ros.policies.memvla_low_level import MemVlaLowLevel
from mem_vla_ros.sim.world import World

SEED, LOW = 5, str(LOW_LEVEL)


def test_a_learner_drives_as_in_an_evaluation(monkeypatch):
    driven, played = [], []
    with closing(World('chopstick')) as world:
        monkeypatch.setattr(type(world.task), 'time_limit', 2.0)
        play_episode(
            world, SEED, MemVlaLowLevel.from_folder(LOW, load_robot(ROBOT_FILE), seed=SEED),
            watch=lambda world, subtask, memory: played.append(world.joint_positions))
        world.reset(SEED)
        learner = CheckpointLearnerMaker(LOW, str(ROBOT_FILE))()
        learner.reset(world, SEED)
        learner.see(world)
        while not world.score().done:
            for row in learner.drive(world, ''):
                driven.append(world.joint_positions)
                world.step(row, 0.1)
                learner.see(world)
    assert len(driven) == 20
    np.testing.assert_allclose(driven, played)
