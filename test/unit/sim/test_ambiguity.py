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

"""
Every memory task is ambiguous by construction.

At the moment of decision, the four images and the joints are the same for situations that need
different actions, up to what the arm's last motion leaves in the pixels.
"""

import numpy as np
import pytest

from mem_vla_ros.sim.experts.expert import Expert
from mem_vla_ros.sim.rollout import run_expert
from mem_vla_ros.sim.world import World


def decisions(world, secret=None, seed=3):
    """Return (subtask that ended, subtask that begins, images, joints) at every change."""
    world.reset(seed, secret)
    moments, last = [], ''
    for step in run_expert(world, Expert(world.task.name)):
        if step.subtask != last:
            images = np.stack(list(world.render().values())).astype(int)
            moments.append((last, step.subtask, images, step.joints))
            last = step.subtask
    assert world.score().success
    return moments


def assert_alike(moments):
    assert len({subtask for _, subtask, _, _ in moments}) > 1, 'the actions must differ'
    _, _, images, joints = moments[0]
    for _, _, other_images, other_joints in moments[1:]:
        difference = np.abs(images - other_images)
        assert difference.mean() < 1.0
        assert (difference.max(axis=-1) > 30).mean() < 0.01
        assert np.abs(joints - other_joints).max() < 0.02


@pytest.fixture
def world(request):
    world = World(request.param)
    yield world
    world.close()


def at_end_of(moments, prefix):
    return [moment for moment in moments if moment[0].startswith(prefix)]


@pytest.mark.parametrize('world', ['swap_mugs'], indirect=True)
def test_served_and_waiting_mugs_look_alike(world):
    assert_alike([at_end_of(decisions(world, secret), 'put the mug on the table')[1]
                  for secret in world.task.secrets])


@pytest.mark.parametrize('world', ['unpack_groceries'], indirect=True)
def test_empty_and_full_bag_look_alike(world):
    runs = [at_end_of(decisions(world, secret), 'put') for secret in world.task.secrets]
    assert_alike([run[0] for run in runs])
    assert_alike([run[1] for run in runs[1:]])


@pytest.mark.parametrize('world, prefix', [
    ('scoop_coffee', 'pour'), ('grilled_cheese', 'wait'), ('window_cleaning', 'wipe'),
    ('clean_kitchen', 'scrub')], indirect=['world'])
def test_progress_within_an_episode_can_not_be_seen(world, prefix):
    assert_alike(at_end_of(decisions(world), prefix))


@pytest.mark.parametrize('world', ['grilled_cheese'], indirect=True)
def test_cooking_time_can_not_be_seen(world):
    world.reset(3)
    views = []
    for step in run_expert(world, Expert('grilled_cheese')):
        if step.subtask.startswith('wait'):
            views.append(np.stack(list(world.render().values())).astype(int))
        elif views:
            break
    assert np.abs(views[-1] - views[-15]).mean() < 0.1


@pytest.mark.parametrize('world', ['chopstick'], indirect=True)
def test_missed_heights_look_alike(world):
    assert_alike([moment for moment in at_end_of(decisions(world, 'low'), 'pick')
                  if moment[1].startswith('pick')])


@pytest.mark.parametrize('world', ['open_refrigerator'], indirect=True)
def test_tried_grips_look_alike(world):
    assert_alike([moment for moment in at_end_of(decisions(world, 'bottom right'), 'let go')
                  if moment[1].startswith('pull')])


@pytest.mark.parametrize('world', ['recipe_setup'], indirect=True)
def test_emptied_drawers_look_alike(world):
    assert_alike([moment for moment in at_end_of(decisions(world), 'go home')
                  if moment[1].startswith('open')])
