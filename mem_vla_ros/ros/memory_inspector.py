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

"""
Node ``memory_inspector``: shows what the robot remembers; the robot never notices it.

Every topic of the stack goes into the recording layer of ``mem_vla_ros/inspector``; the terminal
and the web page show that. With ``allow_edit`` the page may also act, through the same topics
and services as anybody else.
"""

from datetime import datetime, UTC
from functools import partial
import json
from pathlib import Path
import secrets
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from sensor_msgs.msg import CompressedImage, Image, JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

from mem_vla_ros.core.images import ImageRejected
from mem_vla_ros.core.robot import load_robot, Robot
from mem_vla_ros.core.states import HighLevelState, LowLevelState
from mem_vla_ros.inspector.interventions import Interventions
from mem_vla_ros.inspector.live_terminal import LiveTerminalView
from mem_vla_ros.inspector.recorder import Recorder
from mem_vla_ros.inspector.recording import RecordingWriter
from mem_vla_ros.inspector.reduced_jpeg import reduced_jpeg
from mem_vla_ros.inspector.server import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    InspectorServer,
    ServerNotStarted,
)
from mem_vla_ros.inspector.terminal import TerminalView
from mem_vla_ros.ros.configurable_node import ConfigurableNode
from mem_vla_ros.ros.conversions import chunk_from_message, image_from_message, seconds_from_stamp
from mem_vla_ros.ros.health import OK, WARN
from mem_vla_ros.ros.node_main import guarded, run_node
from mem_vla_ros.ros.operator_desk import OperatorDesk
from mem_vla_ros.ros.parameters import ParameterSpec
from mem_vla_ros.ros.qos import EVENT, LATCHED, LATCHED_STATES, NEWEST, SENSOR

PARAMETERS = (
    ParameterSpec('robot_file', '', 'Robot file with joints and cameras.'),
    ParameterSpec('terminal', 'lines',
                  'lines: print what changes; live: a full view that redraws; off: nothing.',
                  choices=('lines', 'live', 'off')),
    ParameterSpec('web', True, 'Serve the web page.'),
    ParameterSpec('host', DEFAULT_HOST,
                  'Address that the page is served on; 0.0.0.0 opens it to the network.'),
    ParameterSpec('port', DEFAULT_PORT,
                  'Port of the page; if taken, the next free one of ten; 0 takes any.', 0, 65535),
    ParameterSpec('allow_edit', False,
                  'Let the page act on the robot, with a token that is printed at the start.'),
    ParameterSpec('record_to', '',
                  'Folder in which every start makes a recording; empty records nothing.'),
    ParameterSpec('image_size', 128, 'Longest side of the pictures that are kept [px].', 16, 640),
)

_REFRESH_PERIOD_S = 0.1
_TIME_FORMAT = '%Y%m%dT%H%M%SZ'


class MemoryInspector(ConfigurableNode):
    """Feeds the recording layer from topics and shows it."""

    def __init__(self, **options: Any) -> None:
        super().__init__('memory_inspector', PARAMETERS, **options)
        self._writer: RecordingWriter | None = None
        self._server: InspectorServer | None = None
        self._view: TerminalView | LiveTerminalView | None = None

    def configure(self) -> None:
        """Subscribe, and start to show."""
        self._values = self.node_parameters.checked()
        robot = load_robot(self._values.robot_file)
        if self._values.record_to:
            start = datetime.now(UTC).strftime(_TIME_FORMAT)
            self._writer = RecordingWriter(Path(self._values.record_to) / start)
        self._recorder = Recorder(self._writer)
        self._subscribe_texts()
        self._subscribe_robot(robot)
        if self._values.terminal != 'off':
            self._view = (
                LiveTerminalView(self._recorder) if self._values.terminal == 'live'
                else TerminalView(self._recorder, calm=True))
        if self._values.web:
            self._start_page()
        self.create_timer(
            _REFRESH_PERIOD_S, self._refresh, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def stop(self) -> None:
        """End the page, the view and the recording."""
        if self._server is not None:
            self._server.stop()
        if isinstance(self._view, LiveTerminalView):
            self._view.close()
        if self._writer is not None:
            self._writer.close()

    def _subscribe_texts(self) -> None:
        for topic in ('goal', 'subtask', 'memory', 'score'):
            self.create_subscription(String, topic, partial(self._on_text, topic), LATCHED)
        self.create_subscription(String, 'hl_state', self._on_high_level, LATCHED_STATES)
        self.create_subscription(String, 'll_state', self._on_low_level, EVENT)
        self.create_subscription(String, 'gate_state', self._on_gate, LATCHED)
        self.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics, EVENT)

    def _subscribe_robot(self, robot: Robot) -> None:
        self.create_subscription(JointTrajectory, 'action_chunk', self._on_chunk, NEWEST)
        self.create_subscription(JointState, robot.joint_states_topic, self._on_joints, SENSOR)
        for camera in robot.cameras:
            kind = CompressedImage if camera.transport == 'compressed' else Image
            self.create_subscription(
                kind, camera.topic, partial(self._on_image, camera.name), SENSOR)

    def _start_page(self) -> None:
        token = secrets.token_urlsafe(16) if self._values.allow_edit else None
        desk = OperatorDesk(self) if token else None
        interventions = Interventions(self._recorder, desk.perform, self.now) if desk else None
        self._server = InspectorServer(
            self._recorder, self._values.host, self._values.port, token, interventions)
        try:
            url = self._server.start()
        except ServerNotStarted as error:
            self._server = None
            self.health.set_level(WARN, str(error))
            return
        # Not through the log: it also goes out on /rosout, and the token is for this terminal.
        print(f'Inspector page: {url}#token={token}' if token else f'Inspector page: {url}',
              flush=True)

    @guarded
    def _refresh(self) -> None:
        self._recorder.tick(self.now())
        if self._view is not None:
            self._view.refresh()
        if self._writer is not None and self._writer.fault:
            self.health.set_level(WARN, self._writer.fault)
        elif self._server is not None:
            self.health.set_level(OK, f'page at {self._server.url}')

    @guarded
    def _on_text(self, topic: str, message: String) -> None:
        getattr(self._recorder, topic)(self.now(), message.data)

    @guarded
    def _on_high_level(self, message: String) -> None:
        self._recorder.high_level(self.now(), HighLevelState.from_json(message.data))

    @guarded
    def _on_low_level(self, message: String) -> None:
        self._recorder.low_level(self.now(), LowLevelState.from_json(message.data))

    @guarded
    def _on_gate(self, message: String) -> None:
        gate = json.loads(message.data)
        self._recorder.gate(self.now(), gate['level'], ', '.join(gate['reasons']))
        self._recorder.hold(self.now(), 'operator_hold' in gate['reasons'])

    @guarded
    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self._recorder.diagnostic(
                self.now(), status.name, int.from_bytes(status.level, 'little'), status.message)

    @guarded
    def _on_chunk(self, message: JointTrajectory) -> None:
        self._recorder.chunk(self.now(), chunk_from_message(message))

    @guarded
    def _on_joints(self, message: JointState) -> None:
        self._recorder.joints(
            self.now(), seconds_from_stamp(message.header.stamp), message.name, message.position)

    @guarded
    def _on_image(self, camera: str, message: Image | CompressedImage) -> None:
        try:
            image = image_from_message(message)
        except ImageRejected as error:
            self.health.count_fault(f'{error.kind} {camera}', str(error))
            return
        self._recorder.frame(
            self.now(), camera, seconds_from_stamp(message.header.stamp),
            reduced_jpeg(image, self._values.image_size))


def main() -> int:
    """Run the node."""
    return run_node(MemoryInspector)
