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

"""A checkpoint replayed on a bag."""

import json

import pytest
from support.arm_bags import write_arm_bag
from support.node_graph import ROBOT_FILE
from support.tiny_checkpoint import write_tiny_checkpoint

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.evaluation.bag_result import evaluate_bag
from mem_vla_ros.evaluation.replay_settings import ReplaySettings
from mem_vla_ros.evaluation.variant import Variant


@pytest.fixture
def checkpoint_folder(tmp_path):
    return write_tiny_checkpoint(tmp_path / 'checkpoint')


def test_two_replays_of_a_checkpoint_are_equal(checkpoint_folder, tmp_path):
    bag = write_arm_bag(tmp_path / 'bag', seconds=2.0)
    robot = load_robot(ROBOT_FILE)
    variant = Variant.parse(str(checkpoint_folder))
    first, second = (
        evaluate_bag(bag, robot, variant, ReplaySettings(execution_horizon=8))
        for _ in range(2))
    assert first.error == ''
    assert first.episodes[0]['answers']['chunks'] >= 2
    assert json.dumps(first.to_dict()) == json.dumps(second.to_dict())


def test_checkpoint_of_another_robot_is_refused(checkpoint_folder, robot, bag_maker):
    bag = bag_maker.add_inputs(seconds=1.0).write()
    result = evaluate_bag(
        bag, robot, Variant.parse(str(checkpoint_folder)), ReplaySettings())
    assert 'The checkpoint' in result.error
