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

"""The world: stepping, limits, determinism, rendering and its robot file."""

import json
from pathlib import Path

import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.sim import arm_limits
from mem_vla_ros.sim.world import CAMERAS, World

ROBOT_FILE = Path(__file__).parents[3] / 'config' / 'robots' / 'sim_arm.yaml'


@pytest.fixture
def world():
    world = World('find_object', image_size=32)
    yield world
    world.close()


def test_arm_matches_its_robot_file(world):
    robot = load_robot(ROBOT_FILE)
    assert world.joint_names == robot.joint_names
    np.testing.assert_allclose(arm_limits.LOWER, robot.limits.lower)
    np.testing.assert_allclose(arm_limits.UPPER, robot.limits.upper)
    np.testing.assert_allclose(arm_limits.VELOCITY, robot.limits.velocity)
    np.testing.assert_allclose(arm_limits.HOME, robot.home)


def test_arm_reaches_a_reference(world):
    target = arm_limits.HOME + np.array([0.4, 0.3, -0.2, 0.1, 0.2, -0.3, -0.02])
    world.step(target, 0.5)
    world.step(target, 1.0)
    np.testing.assert_allclose(world.joint_positions, target, atol=0.01)
    assert world.time == pytest.approx(1.5)


def test_reference_beyond_the_limits_is_clipped(world):
    world.step(np.full(7, 100.0), 0.1)
    np.testing.assert_array_equal(world.reference, arm_limits.UPPER)


@pytest.mark.parametrize('reference, duration', [
    (np.full(7, np.nan), 0.1), (np.zeros(6), 0.1), (np.zeros(7), 0.0), (np.zeros(7), 0.013)])
def test_bad_steps_are_refused(world, reference, duration):
    before = world.reference
    with pytest.raises(ValueError):
        world.step(reference, duration)
    np.testing.assert_array_equal(world.reference, before)
    assert world.time == 0.0


def test_unknown_task_is_refused_with_the_list_of_tasks():
    with pytest.raises(ConfigError, match='find_object'):
        World('no_such_task')


def test_same_seed_and_actions_give_the_same_episode(world):
    rng = np.random.default_rng(3)
    actions = arm_limits.HOME + rng.normal(0.0, 0.1, (30, 7))

    def play():
        world.reset(7)
        for action in actions:
            world.step(action, 0.1)
        return world._simulation.data.qpos.copy(), world.render()

    first, images = play()
    world.reset(8)
    world.step(actions[0], 0.1)
    second, again = play()
    np.testing.assert_array_equal(first, second)
    for name in CAMERAS:
        np.testing.assert_array_equal(images[name], again[name])


def test_long_step_equals_short_steps_on_the_same_line(world):
    target = arm_limits.HOME + 0.05
    world.reset(1)
    world.step(target, 0.4)
    long = world._simulation.data.qpos.copy()
    world.reset(1)
    start = world.reference
    for part in (0.25, 0.5, 0.75, 1.0):
        world.step(start + part * (np.clip(
            target, arm_limits.LOWER, arm_limits.UPPER) - start), 0.1)
    np.testing.assert_allclose(world._simulation.data.qpos, long, atol=1e-9)


def test_render_gives_one_rgb_image_per_camera(world):
    images = world.render()
    assert list(images) == list(CAMERAS)
    for image in images.values():
        assert image.shape == (32, 32, 3)
        assert image.dtype == np.uint8
        assert image.std() > 5
    assert world.render(48)['rear'].shape == (48, 48, 3)


def test_images_are_drawn_once_for_each_moment(world):
    first = world.render()
    assert world.render()['base'] is first['base']
    world.step(np.full(7, 0.5), 0.1)
    moved = world.render()
    assert not np.array_equal(moved['base'], first['base'])
    world.reset(world.seed)
    np.testing.assert_array_equal(world.render()['base'], first['base'])


def test_oracle_and_score_are_plain_json(world):
    assert json.loads(json.dumps(world.oracle()))['task'] == 'find_object'
    assert json.loads(json.dumps(world.score().to_dict()))['points'] == 0.0


def test_arm_is_held_once_in_an_episode_and_the_episode_may_take_as_much_longer(world):
    held = World('find_object', image_size=16, hold=5.0)
    resting = 0
    for _ in range(450):
        before = held.reference
        held.step(before + 0.001 * np.where(np.arange(7) == 0, 1, 0), 0.1)
        resting += bool((held.reference == before).all())
    assert resting == 50
    assert held.task.extra_time == 5.0 and world.task.extra_time == 0.0
    held.close()
