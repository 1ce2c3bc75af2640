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

"""Forward and inverse kinematics against each other and against MuJoCo."""

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from mem_vla_ros.sim.kinematics import (
    DOWN,
    FORWARD,
    forward,
    inverse,
    inverse_symmetric,
    rotation_z,
    tool_rotation,
)
from mem_vla_ros.sim.world import World


@given(st.tuples(
    st.floats(-2.0, 2.0), st.floats(-0.8, 1.0), st.floats(0.3, 2.5),
    st.floats(-1.4, 1.4), st.floats(-2.0, 2.0), st.floats(-3.0, 3.0)))
def test_inverse_reaches_every_forward_pose(joints):
    position, rotation = forward(np.array(joints))
    reached, turned = forward(inverse(position, rotation))
    np.testing.assert_allclose(reached, position, atol=1e-6)
    np.testing.assert_allclose(turned, rotation, atol=1e-5)


def test_forward_agrees_with_the_simulated_arm():
    world = World('find_object', seed=4)
    np.testing.assert_allclose(
        world.oracle()['tool'], forward(world.joint_positions)[0], atol=1e-4)


def test_grasp_from_above_points_down():
    _, rotation = forward(inverse(np.array([0.3, 0.1, 0.05]), tool_rotation(DOWN, 0.3)))
    np.testing.assert_allclose(rotation[:, 2], [0.0, 0.0, -1.0], atol=1e-9)
    _, rotation = forward(inverse(np.array([0.4, 0.1, 0.2]), tool_rotation(FORWARD, 0.0)))
    np.testing.assert_allclose(rotation[:, 2], [1.0, 0.0, 0.0], atol=1e-9)


def test_symmetric_inverse_takes_the_smaller_turn():
    rotation = tool_rotation(DOWN, 0.0) @ rotation_z(3.0)
    joints = inverse_symmetric(np.array([0.3, 0.0, 0.1]), rotation)
    assert abs(joints[5]) == pytest.approx(np.pi - 3.0)
