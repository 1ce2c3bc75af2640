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

"""The suite through Gymnasium."""

import gymnasium
from gymnasium.utils.env_checker import check_env
import numpy as np
import pytest

from mem_vla_ros.sim.gym_registration import environment_id, register_environments, TASK_NAMES

register_environments()


@pytest.mark.filterwarnings('ignore:.*symmetric and normalized.*')
def test_environment_passes_the_checker():
    env = gymnasium.make('mem_vla_ros/FindObject-v0', image_size=16, render_mode='rgb_array')
    check_env(env.unwrapped)
    env.close()


def test_every_task_is_registered():
    for task in TASK_NAMES:
        assert environment_id(task) in gymnasium.registry


def test_same_seed_gives_the_same_observations():
    env = gymnasium.make('mem_vla_ros/SwapMugs-v0', image_size=16)
    first, _ = env.reset(seed=4)
    env.step(env.action_space.sample())
    second, info = env.reset(seed=4)
    for name, value in first.items():
        np.testing.assert_array_equal(value, second[name])
    assert 'goal' in info and 'secret' not in info
    env.close()


def test_late_episode_is_truncated():
    env = gymnasium.make('mem_vla_ros/Chopstick-v0', image_size=16)
    observation, _ = env.reset(seed=0)
    for _ in range(400):
        observation, _, terminated, truncated, _ = env.step(observation['joints'])
        if terminated or truncated:
            break
    assert truncated and not terminated
    env.close()
