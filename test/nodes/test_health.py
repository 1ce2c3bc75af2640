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

"""What a node says of its health, and what of it is worth a line in the log."""

from mem_vla_ros.execution.level import Level
from mem_vla_ros.ros.health import Health


def test_gate_is_logged_when_the_arm_stops_or_goes_on_and_above_a_hold(graph, monkeypatch):
    health = Health(graph.probe)
    lines = []
    monkeypatch.setattr(health, '_log', lambda level, message: lines.append(message))
    for level in (Level.OK, Level.WARN, Level.OK, Level.HOLD, Level.STOP, Level.HOLD, Level.WARN):
        health.show_gate(level, ['base_age'])
    assert lines == ['OK base_age', 'HOLD base_age', 'STOP base_age', 'WARN base_age']
