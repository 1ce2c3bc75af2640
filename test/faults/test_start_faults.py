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
"""Rows of the fault matrix about what a node is started with."""

from importlib import import_module

import pytest
from support.node_graph import wait_for

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.ros.high_level_policy import HighLevelPolicyNode
from mem_vla_ros.ros.low_level_policy import LowLevelPolicyNode
from mem_vla_ros.ros.parameter_docs import NODES

CLASSES = {
    'high_level_policy': 'HighLevelPolicyNode', 'low_level_policy': 'LowLevelPolicyNode',
    'action_executor': 'ActionExecutor', 'memory_inspector': 'MemoryInspector',
    'sim_world': 'SimWorld', 'bag_recorder': 'BagRecorder', 'bag_player': 'BagPlayer'}


def bad_values(name):
    """Return every parameter of a node with values a little outside of both ends."""
    for spec in import_module(f'mem_vla_ros.ros.{name}').PARAMETERS:
        if spec.choices:
            yield spec, 'no such choice'
        elif spec.minimum is not None:
            kind = type(spec.default)
            yield spec, kind(spec.minimum - 1)
            # rclpy lets pass what is within a millionth of the end.
            yield spec, kind(spec.maximum + 1 + spec.maximum // 1000)


def refuses(graph, name, spec, value):
    node_class = getattr(import_module(f'mem_vla_ros.ros.{name}'), CLASSES[name])
    robot = {'robot_file': ''} if name in ('sim_world', 'bag_recorder', 'bag_player') else {}
    try:
        node = graph.start(node_class, **robot, **{spec.name: value})
    except ConfigError as error:
        return spec.allowed() in str(error)
    refused = node._state_machine.current_state[1] == 'unconfigured'
    message = node.health._message
    graph.remove(node)
    return refused and repr(spec.name) in message and spec.allowed() in message


@pytest.mark.parametrize('name', NODES)
def test_bad_parameter_of_every_node_is_refused_with_its_range(graph, name):
    cases = list(bad_values(name))
    assert cases
    wrong = [(spec.name, value) for spec, value in cases
             if not refuses(graph, name, spec, value)]
    assert wrong == []


@pytest.mark.parametrize('node_class, name', [
    (LowLevelPolicyNode, 'low_level_policy'), (HighLevelPolicyNode, 'high_level_policy')])
@pytest.mark.parametrize('files', [
    {}, {'config.json': b'{}'},
    {'config.json': b'\xff\x00', 'model.safetensors': b'\x80\x04pickle'}])
def test_checkpoint_absent_or_corrupt_is_refused_with_a_reason(
        graph, tmp_path, node_class, name, files):
    folder = tmp_path / 'checkpoint'
    if files:
        folder.mkdir()
    for file, content in files.items():
        (folder / file).write_bytes(content)
    node = graph.start(node_class, backend='memvla', checkpoint=str(folder))
    assert node._state_machine.current_state[1] == 'unconfigured'
    assert wait_for(lambda: graph.says(name, 'refused to configure'))
    assert wait_for(lambda: graph.says(name, 'checkpoint'))
