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

"""Node ``memory_inspector``: shows what the robot remembers; the robot never notices it."""

import json
from typing import Any

from std_msgs.msg import String

from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.inspector.recorder import Recorder
from mem_vla_ros.inspector.terminal import TerminalView
from mem_vla_ros.ros.configurable_node import ConfigurableNode
from mem_vla_ros.ros.node_main import guarded, run_node
from mem_vla_ros.ros.parameters import ParameterSpec
from mem_vla_ros.ros.qos import LATCHED

PARAMETERS = (
    ParameterSpec('robot_file', '', 'Robot file with joints and cameras.'),
    ParameterSpec('terminal', 'lines', 'What to print.', choices=('lines', 'off')),
)


class MemoryInspector(ConfigurableNode):
    """Feeds the recording layer from topics and prints its lines."""

    def __init__(self, **options: Any) -> None:
        super().__init__('memory_inspector', PARAMETERS, **options)

    def configure(self) -> None:
        """Subscribe."""
        values = self.node_parameters.checked()
        self._recorder = Recorder()
        self._view = TerminalView(self._recorder)
        self.create_subscription(String, 'goal', self._on_goal, LATCHED)
        self.create_subscription(String, 'hl_state', self._on_high_level, LATCHED)
        self.create_subscription(String, 'score', self._on_score, LATCHED)
        if values.terminal == 'lines':
            self.create_timer(0.1, self._view.refresh)

    @guarded
    def _on_goal(self, message: String) -> None:
        self._recorder.goal(self.now(), message.data)

    @guarded
    def _on_high_level(self, message: String) -> None:
        self._recorder.high_level(self.now(), HighLevelState.from_json(message.data))

    @guarded
    def _on_score(self, message: String) -> None:
        score = json.loads(message.data)
        text = f"{score['points']:g} of {score['max_points']:g} points"
        self._recorder.score(self.now(), f'{text}. {score["reason"]}' if score['reason'] else text)


def main() -> int:
    """Run the node."""
    return run_node(MemoryInspector)
