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

"""The expert in place of a level."""

from contextlib import closing

import numpy as np
import pytest
from support.node_graph import ROBOT_FILE

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.core.weights import HIGH_LEVEL, LOW_LEVEL
from mem_vla_ros.evaluation.levels import Levels
from mem_vla_ros.evaluation.result_file import Setup
from mem_vla_ros.evaluation.rollout import feel, history_of, observe, see
from mem_vla_ros.evaluation.rollouts import EXPERT, roll_out, RolloutJob
from mem_vla_ros.policies.memvla_high_level import MemVlaHighLevel
from mem_vla_ros.policies.memvla_low_level import MemVlaLowLevel
from mem_vla_ros.sim.world import World


@pytest.mark.parametrize('batch', [1, 2])
def test_the_expert_in_both_places_solves_the_task(batch):
    rows = list(roll_out(RolloutJob('chopstick', EXPERT, EXPERT, ROBOT_FILE), (3, 4), batch=batch))
    assert {row['seed']: row['success'] for row in rows} == {3: True, 4: True}


def test_what_is_no_expert_is_a_checkpoint():
    with closing(World('chopstick', image_size=16)) as world:
        robot = load_robot(ROBOT_FILE)
        low = Levels.load(robot, str(LOW_LEVEL), EXPERT)
        assert isinstance(low.low_level(world, 0), MemVlaLowLevel)
        assert not isinstance(low.high_level(world), MemVlaHighLevel)
        high = Levels.load(robot, EXPERT, str(HIGH_LEVEL))
        assert not isinstance(high.low_level(world, 0), MemVlaLowLevel)
        assert isinstance(high.high_level(world), MemVlaHighLevel)
        assert Levels.load(robot, EXPERT, '').high_level(world) is None


def test_the_expert_rests_where_a_subtask_makes_no_sense():
    with closing(World('chopstick', image_size=16)) as world:
        world.reset(3)
        policy = Levels.load(load_robot(ROBOT_FILE), EXPERT, '').low_level(world, 0)
        history = history_of(world, policy)
        feel(world, [history])
        see(world, [history])
        chunk = policy.predict(observe(world, history), 'fly to the moon', world.goal, None)
        np.testing.assert_allclose(chunk.positions, np.tile(world.joint_positions, (16, 1)))


def test_a_result_says_that_the_expert_played():
    setup = Setup.of(RolloutJob('chopstick', str(LOW_LEVEL), EXPERT, ROBOT_FILE), 'x', 'y', False)
    assert setup.checkpoints['high'] == EXPERT and len(setup.checkpoints['low']) == 64
    with pytest.raises(ConfigError, match='nowhere'):
        Setup.of(RolloutJob('chopstick', 'nowhere', '', ROBOT_FILE), 'x', 'y', False)
