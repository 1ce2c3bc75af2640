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

"""Bad input is refused by name and counted; the node lives and takes the next good message."""

import math

from lifecycle_msgs.msg import State
import pytest
from std_msgs.msg import String
from support.messages import HOME, JOINT_NAMES, make_image, make_joint_state
from support.node_graph import wait_for

from mem_vla_ros.ros.action_executor import ActionExecutor
from mem_vla_ros.ros.high_level_policy import HighLevelPolicyNode
from mem_vla_ros.ros.low_level_policy import LowLevelPolicyNode
from mem_vla_ros.ros.qos import LATCHED, SENSOR

BASE = 'cameras/base/image'


def state_of(node):
    return node._state_machine.current_state[1]


@pytest.mark.parametrize('changes, fault', [
    ({'encoding': '32FC1'}, 'wrong_encoding base'),
    ({'height': 31}, 'truncated_image base'),
    ({'step': 10}, 'truncated_image base'),
    ({'height': 0, 'data': []}, 'wrong_size base'),
])
def test_a_bad_image_is_counted_by_name_and_the_next_good_one_is_taken(graph, changes, fault):
    node = graph.start(LowLevelPolicyNode)
    graph.send(BASE, make_image(graph.now(), **changes), SENSOR)
    assert wait_for(lambda: graph.says('low_level_policy', fault)), fault
    assert not math.isfinite(node._watchdogs['base'].age(0.0))
    graph.send(BASE, make_image(graph.now()), SENSOR)
    assert wait_for(lambda: math.isfinite(node._watchdogs['base'].age(0.0)))


@pytest.mark.parametrize('names, positions, fault', [
    (JOINT_NAMES, (math.nan, *HOME[1:]), "non_finite_joints: not finite: ['joint_1']"),
    (JOINT_NAMES, (*HOME[:6], math.inf), "non_finite_joints: not finite: ['gripper']"),
    (JOINT_NAMES[1:], HOME[1:], "missing_joints: missing ['joint_1']"),
    (JOINT_NAMES, HOME[1:], 'malformed_joints: got 7 names and 6 positions'),
])
def test_a_bad_joint_state_is_counted_with_its_joints(graph, names, positions, fault):
    graph.start(ActionExecutor)
    graph.send('joint_states', make_joint_state(graph.now(), positions, names), SENSOR)
    assert wait_for(lambda: graph.says('action_executor', fault)), fault


def test_reordered_joints_are_mapped_by_name(graph):
    node = graph.start(ActionExecutor)
    order = [3, 1, 6, 0, 2, 5, 4]
    graph.send('joint_states', make_joint_state(
        graph.now(), [HOME[i] for i in order], [JOINT_NAMES[i] for i in order]), SENSOR)
    assert wait_for(lambda: node._player.reference(node.now()) is not None)
    assert node._player.reference(node.now()).tolist() == list(HOME)


@pytest.mark.parametrize('node_class, name, parameters, complaint', [
    (LowLevelPolicyNode, 'low_level_policy', {'chunking': 'magic'}, "Got 'magic'"),
    (LowLevelPolicyNode, 'low_level_policy', {'frames': 0}, "'frames' must be 1 to 64"),
    (LowLevelPolicyNode, 'low_level_policy', {'stride': 'often'}, "'stride' must be 0.05 to 60.0"),
    (LowLevelPolicyNode, 'low_level_policy', {'robot_file': 'nowhere.yaml'}, 'No such file'),
    (HighLevelPolicyNode, 'high_level_policy', {'backend': 'oracle'}, "Got 'oracle'"),
    (HighLevelPolicyNode, 'high_level_policy', {'robot_file': ''}, 'cannot be read'),
    (ActionExecutor, 'action_executor', {'control_rate': 0.0}, "'control_rate' must be 10.0"),
    (ActionExecutor, 'action_executor', {'robot_file': 'nowhere.yaml'}, 'No such file'),
])
def test_a_bad_parameter_is_refused_with_what_is_allowed(
        graph, node_class, name, parameters, complaint):
    node = graph.start(node_class, **parameters)
    assert state_of(node) == 'unconfigured'
    assert wait_for(lambda: graph.says(name, complaint)), complaint


def test_an_oversized_goal_is_rejected_and_the_limit_named(graph):
    node = graph.start(HighLevelPolicyNode)
    graph.send('goal', String(data='tidy up'), LATCHED)
    assert wait_for(lambda: node._loop.state.goal == 'tidy up')
    graph.send('goal', String(data='x' * 100_000), LATCHED)
    assert wait_for(lambda: graph.says('high_level_policy', 'allowed 2000'))
    assert node._loop.state.goal == 'tidy up'
    assert node._state_machine.current_state[0] == State.PRIMARY_STATE_ACTIVE


def test_a_hang_at_every_call_is_refused_because_of_the_warm_up(graph):
    node = graph.start(LowLevelPolicyNode, scripted_fault='hang')
    assert state_of(node) == 'unconfigured'
    assert wait_for(lambda: graph.says('low_level_policy', 'such as hang@4'))
