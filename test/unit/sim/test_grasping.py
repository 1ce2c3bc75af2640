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

"""Grasping: what closing fingers hold, and what they miss."""

import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.sim.experts.scene_view import from_above
from mem_vla_ros.sim.world import World


@pytest.fixture
def world():
    return World('kitchen_cleanup', seed=2)


def reach(world, point, heading, gripper):
    target = np.append(from_above(np.array(point), heading), gripper)
    world.step(target, 0.8)
    world.step(target, 0.4)


def thing(world, name='white bowl'):
    return world.oracle()['things'][name]


def test_closing_on_a_thing_holds_it_where_it_is(world):
    at, yaw = thing(world)['at'], thing(world)['yaw']
    reach(world, at, yaw, 0.03)
    world.step(np.append(world.reference[:6], 0.0), 0.2)
    world.step(world.reference, 0.3)
    assert world.oracle()['held'] == 'white bowl'
    np.testing.assert_allclose(thing(world)['at'], at, atol=0.006)
    assert world.joint_positions[6] == pytest.approx(0.01, abs=0.002)
    reach(world, np.array(at) + [0.0, 0.0, 0.1], yaw, 0.0)
    assert thing(world)['at'][2] == pytest.approx(at[2] + 0.1, abs=0.01)
    world.step(np.append(world.reference[:6], 0.03), 0.2)
    world.step(world.reference, 0.5)
    assert world.oracle()['held'] is None
    assert thing(world)['at'][2] < at[2] + 0.03


def test_closing_beside_a_thing_is_a_miss(world):
    at = np.array(thing(world)['at']) + [0.0, 0.0, 0.06]
    reach(world, at, thing(world)['yaw'], 0.03)
    world.step(np.append(world.reference[:6], 0.0), 0.2)
    world.step(world.reference, 0.3)
    assert world.oracle()['held'] is None
    assert world.oracle()['misses'] == 1
    assert world.joint_positions[6] < 0.003


def test_closed_fingers_grasp_nothing(world):
    reach(world, thing(world)['at'], thing(world)['yaw'], 0.0)
    world.step(world.reference, 0.3)
    assert world.oracle()['held'] is None


def closings(slip, seed=2):
    """Return what is held after each of six grasps at the same thing."""
    world = World('kitchen_cleanup', seed=seed, slip=slip)
    held = []
    for _ in range(6):
        reach(world, thing(world)['at'], thing(world)['yaw'], 0.03)
        world.step(np.append(world.reference[:6], 0.0), 0.2)
        world.step(world.reference, 0.3)
        held.append(world.oracle()['held'])
        world.step(np.append(world.reference[:6], 0.03), 0.2)
    return held, world.oracle()['misses']


def test_a_share_of_the_grasps_slips_as_the_seed_says():
    held, misses = closings(slip=0.5)
    assert 0 < held.count(None) == misses < 6
    assert closings(slip=0.5) == (held, misses)
    assert closings(slip=0.0) == (['white bowl'] * 6, 0)


def test_a_share_above_one_is_refused():
    with pytest.raises(ConfigError, match='between 0 and 1'):
        World('kitchen_cleanup', slip=1.5)
