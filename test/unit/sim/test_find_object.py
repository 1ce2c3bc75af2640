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

"""Find object: the expert, the rubric and the ambiguity of the four drawers."""

import numpy as np
import pytest

from mem_vla_ros.sim.experts.expert import Expert
from mem_vla_ros.sim.rollout import expert_score, run_expert
from mem_vla_ros.sim.world import World


@pytest.fixture(scope='module')
def world():
    world = World('find_object')
    yield world
    world.close()


def test_expert_finds_the_cube_in_every_drawer(world):
    for secret in world.task.secrets:
        world.reset(3, secret)
        steps = list(run_expert(world, Expert('find_object')))
        assert world.score().success, secret
        assert any(step.subtask == f'open the {secret} drawer' for step in steps)
        assert len(steps) < 160


def test_expert_copes_with_noise(world):
    assert expert_score(world, Expert('find_object'), seed=5, noise=0.02).success


def test_wrong_drawer_fails_the_episode(world):
    world.reset(3, secret='top left')
    expert = Expert('find_object')
    while not world.oracle()['state']['go']:
        world.step(world.reference, 0.1)
    while not world.score().done:
        chunk = expert.chunk(world.time, world.joint_positions, world.reference,
                             world.oracle(), 'open the top right drawer', rows=5)
        for row in chunk[1:]:
            world.step(row, 0.1)
    score = world.score()
    assert score.failed and not score.success
    assert score.reason == 'opened a wrong drawer'


def test_drawers_look_alike_when_the_robot_must_choose(world):
    views, joints = [], []
    for secret in world.task.secrets:
        world.reset(11, secret)
        while not world.oracle()['state']['go']:
            world.step(world.reference, 0.1)
        views.append(np.stack(list(world.render().values())).astype(int))
        joints.append(world.joint_positions)
    for view, joint in zip(views[1:], joints[1:], strict=True):
        assert np.abs(view - views[0]).max() <= 8
        np.testing.assert_allclose(joint, joints[0], atol=1e-6)
