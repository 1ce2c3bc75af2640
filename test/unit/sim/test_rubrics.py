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

"""Rules of the rubrics that make an episode fail."""

import numpy as np
import pytest

from mem_vla_ros.sim.arm_limits import HOME
from mem_vla_ros.sim.experts.expert import Expert
from mem_vla_ros.sim.experts.scene_view import from_above
from mem_vla_ros.sim.world import World


def follow(world, subtasks):
    """Let the low level carry out subtasks that its director would not choose."""
    expert = Expert(world.task.name)
    for subtask, seconds in subtasks:
        end = world.time + seconds
        while world.time < end - 1e-6 and not world.score().done:
            chunk = expert.chunk(world.time, world.joint_positions, world.reference,
                                 world.oracle(), subtask, rows=3)
            for row in chunk[1:]:
                world.step(row, 0.1)
    return world.score()


def test_third_scoop_is_one_too_many():
    world = World('scoop_coffee', seed=1)
    scoop = [('scoop coffee beans', 2.0), ('pour the beans into the grinder', 2.6)]
    score = follow(world, [('pick up the lid', 2.6), ('put the lid on the table', 2.4),
                           ('pick up the scoop', 2.6), *scoop * 3])
    assert score.failed and score.reason == 'too many scoops'
    assert score.details['scoops'] == 3


def test_going_home_with_a_full_bag_fails():
    world = World('unpack_groceries', seed=1)
    world.reset(1, secret=2)
    item = world.oracle()['state']['left'][0]
    score = follow(world, [(f'pick up the {item}', 3.0), (f'put the {item} on the mat', 2.4),
                           ('go home', 3.0)])
    assert score.failed and score.reason == 'went home too early'


def test_going_back_to_the_empty_bag_fails():
    world = World('unpack_groceries', seed=1)
    world.reset(1, secret=1)
    item = world.oracle()['state']['left'][0]
    bag = np.array(world.oracle()['things'][item]['at'])
    follow(world, [(f'pick up the {item}', 3.0), (f'put the {item} on the mat', 2.4)])
    target = np.append(from_above(bag + [0.0, 0.0, 0.25]), 0.03)
    world.step(target, 1.0)
    world.step(target, 0.5)
    assert world.score().reason == 'went back to the empty bag'


def test_early_plating_fails():
    world = World('grilled_cheese', seed=1)
    score = follow(world, [
        ('pick up the slice of bread', 2.6), ('put the slice of bread on the sandwich', 2.4),
        ('pick up the sandwich', 2.8), ('put the sandwich on the plate', 3.0)])
    assert score.failed and score.reason == 'plated before both sides were cooked'


def test_towel_thrown_away_early_fails():
    world = World('window_cleaning', seed=1)
    score = follow(world, [('pick up the paper towel', 2.8),
                           ('put the paper towel in the trash', 3.0)])
    assert score.failed and score.reason == 'threw the towel away too early'


def test_three_misses_fail_the_chopstick():
    world = World('chopstick', seed=1)
    world.reset(1, secret='low')
    score = follow(world, [
        ('pick up the chopstick at the high level', 2.6),
        ('pick up the chopstick at the middle level', 2.0)] * 2)
    assert score.failed and score.details['misses'] == 3


def test_wrong_grip_does_not_open_the_refrigerator():
    world = World('open_refrigerator', seed=1)
    world.reset(1, secret='top left')
    score = follow(world, [('pull the bottom right grip', 3.0)])
    assert score.details == {'grasps': 1, 'angle_rad': pytest.approx(0.0, abs=0.03)}


def test_time_runs_out():
    world = World('open_refrigerator', seed=1)
    world.step(HOME, world.task.time_limit)
    score = world.score()
    assert score.done and score.failed and not score.success
    assert score.reason == 'out of time: door not open'
