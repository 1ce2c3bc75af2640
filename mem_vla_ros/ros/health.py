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

"""Health of a node on ``/diagnostics``: once a second, and at once when its level changes."""

from collections import Counter
from collections.abc import Iterable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node

from mem_vla_ros.execution.level import Level
from mem_vla_ros.ros.qos import EVENT

OK, WARN, ERROR, STALE = (
    DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR, DiagnosticStatus.STALE)

_PERIOD_S = 1.0


class Health:
    """
    One diagnostic status of one node: a level, a message, counted faults, and free values.

    The period runs on steady time, so that a stopped simulation clock is visible too.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', EVENT)
        self._timer = node.create_timer(
            _PERIOD_S, self.publish, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._level = OK
        self._message = 'starting'
        self._gate_level: Level | None = None
        self._faults: Counter[str] = Counter()
        self.values: dict[str, str] = {}

    def set_level(self, level: bytes, message: str, log: bool = True) -> None:
        """
        Set level and message; a change is published at once, and logged.

        :param log: False for changes that come and go too often for a log.
        """
        if (level, message) == (self._level, self._message):
            return
        self._level, self._message = level, message
        if log:
            self._log(level, message)
        self.publish()

    def show_gate(self, level: Level, reasons: Iterable[str]) -> None:
        """
        Set level and message from a safety gate.

        A busy machine delays an input now and then, so that a warning comes and goes. Only what
        stops the arm or lets it go on is logged, and everything above a hold.
        """
        before, self._gate_level = self._gate_level, level
        stops = level >= Level.HOLD
        self.set_level(
            {Level.OK: OK, Level.WARN: WARN}.get(level, ERROR),
            f'{level.name} {", ".join(reasons)}'.strip(),
            log=before is None or stops != (before >= Level.HOLD) or level > Level.HOLD)

    def _log(self, level: bytes, message: str) -> None:
        # One call site per level: rclpy refuses a site that changes its severity.
        log = self._node.get_logger()
        if level == OK:
            log.info(message)
        elif level == WARN:
            log.warning(message)
        else:
            log.error(message)

    def count_fault(self, name: str, detail: str) -> None:
        """Count a refused input; the first of its name is logged and published at once."""
        self._faults[name] += 1
        self.values[name] = detail
        if self._faults[name] == 1:
            self._node.get_logger().warning(f'{name}: {detail}')
            self.publish()

    def publish(self) -> None:
        """Publish the present state."""
        values = {f'{name} (count)': str(count) for name, count in self._faults.items()}
        values |= self.values
        array = DiagnosticArray(status=[DiagnosticStatus(
            level=self._level, name=self._node.get_fully_qualified_name(),
            message=self._message, hardware_id='mem_vla_ros',
            values=[KeyValue(key=key, value=value) for key, value in values.items()])])
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(array)
