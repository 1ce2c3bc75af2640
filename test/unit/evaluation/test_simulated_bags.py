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

"""Bags of the simulator, in both storages: evaluated, and turned into episodes again."""

import numpy as np
import pytest
from support.node_graph import ROBOT_FILE

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.evaluation.bag_result import evaluate_bag
from mem_vla_ros.evaluation.bag_writer import STORAGES
from mem_vla_ros.evaluation.exchange.bag_of_episode import write_bag_of_episode
from mem_vla_ros.evaluation.exchange.episodes_of_bag import episodes_of_bag
from mem_vla_ros.evaluation.replay_settings import ReplaySettings
from mem_vla_ros.evaluation.variant import Variant
from mem_vla_ros.sim.collect import collect, CollectSettings
from mem_vla_ros.sim.dataset import Dataset
from mem_vla_ros.training.sim_episodes import episode_of


@pytest.fixture(scope='module')
def demonstration(tmp_path_factory):
    """Return one episode of the expert, as ``memvla collect`` writes it."""
    folder = tmp_path_factory.mktemp('collected')
    collect(CollectSettings('find_object', image_size=32), 1, folder, first_seed=3,
            progress=False)
    return episode_of(Dataset(folder), 0)


@pytest.mark.parametrize('storage', STORAGES)
def test_demonstration_survives_a_bag_and_can_be_evaluated(demonstration, tmp_path, storage):
    robot = load_robot(ROBOT_FILE)
    bag = tmp_path / 'bag'
    write_bag_of_episode(demonstration, bag, robot, storage)
    result = evaluate_bag(bag, robot, Variant('hold'), ReplaySettings())
    assert result.whole
    episode = result.episodes[0]
    assert episode['goal'] == demonstration.goal
    assert episode['details']['action']['reference'] == 'command'
    assert 0.001 < episode['values']['action.mae'] < 0.5
    assert len(episode['details']['annotated']) >= 4
    back, = episodes_of_bag(bag, robot)
    first = round(float(back.times[0] - demonstration.times[0]) * 10)
    kept = slice(first, first + len(back))
    assert len(back) >= len(demonstration) - 3
    np.testing.assert_array_equal(back.images['rear'], demonstration.images['rear'][kept])
    np.testing.assert_allclose(back.actions, demonstration.actions[kept], atol=1e-6)
    assert list(back.subtasks) == list(demonstration.subtasks)[kept]
