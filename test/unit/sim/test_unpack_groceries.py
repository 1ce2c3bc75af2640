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

"""Unpack groceries: what the expert remembers of a bag that it looks into once."""

import pytest

from mem_vla_ros.sim.experts.expert import Expert
from mem_vla_ros.sim.rollout import run_expert
from mem_vla_ros.sim.world import World


@pytest.fixture(scope='module')
def world():
    world = World('unpack_groceries', image_size=16)
    yield world
    world.close()


@pytest.mark.parametrize(('packages', 'count'), [(1, 'One'), (2, 'Two'), (3, 'Three')])
def test_the_hand_stays_over_the_bag_until_the_count_is_remembered(world, packages, count):
    world.reset(3, packages)
    steps = list(run_expert(world, Expert('unpack_groceries'), gap_s=(0.8, 0.8)))
    assert world.score().success
    looks = [step for step in steps if step.subtask == 'look into the bag']
    assert looks[0].memory == '' and looks[-1].memory.startswith(f'{count} package')
    assert all(step.kept == '' for step in looks[:-2])
    after = steps[len(looks)]
    assert after.subtask == 'pick up the next package' and after.kept == looks[-1].memory
