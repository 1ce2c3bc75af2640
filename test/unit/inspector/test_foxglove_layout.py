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

import json
from pathlib import Path
import re

import pytest

from mem_vla_ros.core.robot import load_robot

CONFIG = Path(__file__).parents[3] / 'config'
TEXT_TOPICS = {'goal', 'subtask', 'memory', 'hl_state', 'll_state', 'gate_state'}


@pytest.fixture
def layout() -> dict:
    return json.loads((CONFIG / 'foxglove_layout.json').read_text(encoding='utf-8'))


def panels_in(node: str | dict) -> set[str]:
    if isinstance(node, str):
        return {node}
    return panels_in(node['first']) | panels_in(node['second'])


def test_every_panel_is_placed_once_and_configured(layout):
    assert panels_in(layout['layout']) == layout['configById'].keys()


def test_every_topic_is_one_of_the_stack(layout):
    robot = load_robot(CONFIG / 'robots' / 'sim_arm.yaml')
    known = TEXT_TOPICS | {camera.topic for camera in robot.cameras} | {
        robot.joint_states_topic, 'action_chunk', 'diagnostics'}
    named = set(re.findall(r'"/([a-z_]+(?:/[a-z_]+)*)', json.dumps(layout)))
    assert named
    assert named <= known
