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
"""Rows of the fault matrix about time and about who commands."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from std_msgs.msg import String
from support.fake_robot import TurningPolicy
from support.messages import JOINT_NAMES
from support.node_graph import wait_for

from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.ros.action_executor import ActionExecutor
from mem_vla_ros.ros.conversions import chunk_to_message
from mem_vla_ros.ros.high_level_policy import HighLevelPolicyNode
from mem_vla_ros.ros.low_level_policy import LowLevelPolicyNode
from mem_vla_ros.ros.memory_inspector import MemoryInspector
from mem_vla_ros.ros.qos import LATCHED, NEWEST

SROS2_POLICY = Path(__file__).parents[2] / 'config' / 'sros2_policy.xml'
SIMULATION_ONLY = {'/oracle', '/score'}


class ForgettingPolicy(TurningPolicy):
    """Counts how often it had to forget the episode."""

    def __init__(self):
        super().__init__(JOINT_NAMES)
        self.resets = 0

    def reset(self):
        self.resets += 1


def test_clock_jump_bag_loop_ends_the_episode_and_the_loop_goes_on(start_loop):
    policy = ForgettingPolicy()
    loop = start_loop(policy, simulated_time=True)
    assert loop.runs()
    before = policy.resets
    loop.robot.set_clock(500.0)
    assert loop.says('low_level_policy', 'clock_jumped')
    assert wait_for(lambda: policy.resets > before)
    loop.robot.commands.clear()
    loop.graph.received['action_chunk'].clear()
    assert loop.runs()
    assert all(message.header.stamp.sec < 900
               for message in loop.graph.received['action_chunk'])
    loop.check()


def test_hl_killed_9_mid_episode_holds_after_the_subtask_timeout(start_loop):
    loop = start_loop(subtask_timeout=1.0)
    assert loop.runs()
    alive = HighLevelState(
        episode='e', step=0, stamp=0.0, goal='', previous_subtask='', subtask='turn',
        previous_memory='', memory='', memory_version=0, status='ok', source='test')
    loop.graph.send('hl_state', String(data=alive.to_json()), LATCHED)
    assert loop.says('low_level_policy', 'HOLD subtask_timeout')
    assert loop.rests()
    loop.check()
    loop.graph.send('hl_state', String(data=alive.to_json()), LATCHED)
    assert loop.runs()


def test_second_publisher_is_warned_of_and_two_sessions_are_a_fault(start_loop):
    loop = start_loop()
    assert loop.runs()
    reached = max(command.points[-1].positions[0] for command in loop.robot.commands)

    def intrude():
        rows = np.tile(loop.robot.commands[-1].points[0].positions, (16, 1))
        rows[:, 0] += 0.5 * np.linspace(0.0, 1.0, 16)
        loop.graph.send('action_chunk', chunk_to_message(ActionChunk(
            JOINT_NAMES, loop.robot.now(), 0.1, rows, 'intruder', '', 0)), NEWEST)
        return loop.graph.says('action_executor', 'FAULT second_session')

    assert wait_for(intrude, 20.0)
    assert loop.says('action_executor', 'several_chunk_publishers')
    assert loop.rests()
    loop.check()
    assert loop.robot.commands[-1].points[-1].positions[0] < reached + 0.4
    gate = json.loads(loop.graph.received['gate_state'][-1].data)
    assert gate['level'] == 'FAULT'


def allowed(policy, node, kind, verb):
    """Return the names that the SROS2 policy allows a node, expanded."""
    profile = policy.find(f".//profile[@node='{node}']")
    names = [item.text for item in profile.findall(f"{kind}[@{verb}='ALLOW']/*")]
    return {f'/{name}'.replace('//', '/').replace('/~/', f'/{node}/') for name in names}


def test_second_publisher_is_kept_out_by_the_shipped_sros2_policy():
    policy = ElementTree.parse(SROS2_POLICY)
    senders = {profile.get('node'): allowed(policy, profile.get('node'), 'topics', 'publish')
               for profile in policy.iter('profile')}
    for topic, sender in {
            '/action_chunk': 'low_level_policy', '/joint_command': 'action_executor',
            '/subtask': 'high_level_policy', '/hold_state': 'action_executor'}.items():
        assert [node for node, topics in senders.items() if topic in topics] == [sender]


@pytest.mark.parametrize('node_class, name', [
    (HighLevelPolicyNode, 'high_level_policy'), (LowLevelPolicyNode, 'low_level_policy'),
    (ActionExecutor, 'action_executor'), (MemoryInspector, 'memory_inspector')])
def test_shipped_sros2_policy_allows_a_node_all_that_it_does(graph, node_class, name):
    node = graph.start(node_class)
    policy = ElementTree.parse(SROS2_POLICY)
    endpoints = {
        ('topics', 'publish'): node.get_publisher_names_and_types_by_node(name, '/'),
        ('topics', 'subscribe'): node.get_subscriber_names_and_types_by_node(name, '/'),
        ('services', 'reply'): node.get_service_names_and_types_by_node(name, '/'),
        ('services', 'request'): node.get_client_names_and_types_by_node(name, '/')}
    for (kind, verb), found in endpoints.items():
        names = {topic for topic, _ in found} - SIMULATION_ONLY
        assert names <= allowed(policy, name, kind, verb), (kind, verb)
