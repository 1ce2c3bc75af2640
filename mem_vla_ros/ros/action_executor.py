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
Node ``action_executor``: plays chunks at the control rate, inside the limits, or holds.

Every command spans at most half a second and ends at rest, so that whatever dies, the arm stops.
"""

import json
from pathlib import Path
import time
from typing import Any

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64MultiArray, String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from mem_vla_ros.core.chunk_fields import MessageRejected
from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.execution.chunk_player import ChunkPlayer, Command, PlayerConfig
from mem_vla_ros.execution.fault import Fault
from mem_vla_ros.execution.flight_recorder import FlightRecorder
from mem_vla_ros.execution.joint_mapping import map_joints
from mem_vla_ros.execution.level import Level
from mem_vla_ros.execution.safety_gate import SafetyGate
from mem_vla_ros.execution.watchdog import Watchdogs
from mem_vla_ros.ros.configurable_node import ConfigurableNode
from mem_vla_ros.ros.conversions import (
    chunk_from_message,
    duration_from_seconds,
    stamp_from_seconds,
)
from mem_vla_ros.ros.node_main import guarded, run_node
from mem_vla_ros.ros.parameters import ParameterSpec
from mem_vla_ros.ros.qos import LATCHED, NEWEST, SENSOR

PARAMETERS = (
    ParameterSpec('robot_file', '', 'Robot file with joints, limits and command output.'),
    ParameterSpec('control_rate', 50.0, 'Commands per second [Hz].', 10.0, 500.0),
    ParameterSpec('blend', 0.1,
                  'Time to move over from the running chunk to a new one [s]; 0 switches hard.',
                  0.0, 0.5),
    ParameterSpec('chunk_warn', 0.8, 'WARN when no good chunk came for this long [s].',
                  0.05, 10.0),
    ParameterSpec('chunk_hold', 1.5, 'HOLD when no good chunk came for this long [s].',
                  0.05, 10.0),
    ParameterSpec('joint_states_warn', 0.1, 'WARN when no good joint state came [s].',
                  0.01, 10.0),
    ParameterSpec('joint_states_hold', 0.5, 'HOLD when no good joint state came [s].',
                  0.01, 10.0),
    ParameterSpec('session_timeout', 1.0,
                  'Silence after which another low-level policy may take over [s].', 0.1, 60.0),
    ParameterSpec('start_held', False, 'Hold until somebody calls ~/hold with false.'),
    ParameterSpec('fault_dump_folder', '',
                  'Folder for a JSON file with the last chunks, written at every FAULT; empty '
                  'writes none.'),
)

_GRAPH_PERIOD_S = 0.5


class ActionExecutor(ConfigurableNode):
    """Wires player and safety gate to their topics."""

    def __init__(self, **options: Any) -> None:
        super().__init__('action_executor', PARAMETERS, **options)

    def configure(self) -> None:
        """Read the limits and subscribe; nothing is sent before activate."""
        values = self.node_parameters.checked()
        self._robot = load_robot(values.robot_file)
        self._player = ChunkPlayer(self._robot.limits, PlayerConfig(
            dt_control=1.0 / values.control_rate, blend_s=values.blend,
            session_timeout_s=values.session_timeout))
        self._gate = SafetyGate()
        self._watchdogs = Watchdogs({
            'chunk': (values.chunk_warn, values.chunk_hold),
            'joint_states': (values.joint_states_warn, values.joint_states_hold)})
        self._held = values.start_held
        self._recorder = FlightRecorder()
        self._dump_folder = values.fault_dump_folder
        self._chunk_publishers = 0
        self._shown: str | None = None

        forward = self._robot.command_type == 'forward'
        self._command = self.create_publisher(
            Float64MultiArray if forward else JointTrajectory, self._robot.command_topic, NEWEST)
        self._to_message = self._forward_message if forward else self._trajectory_message
        self._hold_state = self.create_publisher(Bool, 'hold_state', LATCHED)
        self._gate_state = self.create_publisher(String, 'gate_state', LATCHED)
        self._chunks = self.create_subscription(
            JointTrajectory, 'action_chunk', self._on_chunk, NEWEST)
        self.create_subscription(
            JointState, self._robot.joint_states_topic, self._on_joints, SENSOR)
        self.create_service(SetBool, '~/hold', self._on_hold)
        self.create_service(Trigger, '~/reset', self._on_reset)
        self.create_timer(
            _GRAPH_PERIOD_S, self._count_publishers,
            clock=Clock(clock_type=ClockType.STEADY_TIME))

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to send commands."""
        self._timer = self.create_timer(self._player.config.dt_control, self._tick)
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Send no more; the last command ends at rest."""
        self.destroy_timer(self._timer)
        self._player.reset(self.now())
        return super().on_deactivate(state)

    @guarded
    def _on_chunk(self, message: JointTrajectory) -> None:
        try:
            chunk = chunk_from_message(message)
        except MessageRejected as error:
            self._player.bad_answers.strike()
            self._recorder.add(self.now(), None, Fault('malformed_chunk', str(error)))
            self.health.count_fault('malformed_chunk', str(error))
            return
        fault = self._player.accept(chunk, self.now())
        self._recorder.add(self.now(), chunk, fault)
        if fault is None:
            self._watchdogs.feed('chunk', time.monotonic())
        else:
            self.health.count_fault(fault.name, fault.detail)

    @guarded
    def _on_joints(self, message: JointState) -> None:
        positions = map_joints(self._robot.joint_names, message.name, message.position)
        if isinstance(positions, Fault):
            self.health.count_fault(positions.name, positions.detail)
            return
        self._watchdogs.feed('joint_states', time.monotonic())
        self._player.seed(positions, self.now())

    @guarded
    def _tick(self) -> None:
        steady = time.monotonic()
        flags = self._watchdogs.flags(steady) | self._player.flags()
        if self._held:
            flags['operator_hold'] = Level.STOP
        if self._chunk_publishers > 1:
            flags['several_chunk_publishers'] = Level.WARN
        before = self._gate.level
        level = self._gate.update(steady, flags)
        command = self._player.command(self.now(), level)
        if command is not None:
            self._command.publish(self._to_message(command))
        self._show(level)
        if level == Level.FAULT != before and self._dump_folder:
            self._dump()

    def _dump(self) -> None:
        try:
            path = self._recorder.dump(
                Path(self._dump_folder), self.now(), self._gate.reasons)
        except OSError as error:
            self.health.count_fault('fault_dump', f'last chunks cannot be written: {error}')
        else:
            self.get_logger().error(f'last chunks are in {path}')

    @guarded
    def _count_publishers(self) -> None:
        self._chunk_publishers = self._chunks.get_publisher_count()

    def _show(self, level: Level) -> None:
        """Publish the gate when it changes; ages alone are no change."""
        reasons = self._gate.reasons
        text = json.dumps({'level': level.name, 'reasons': reasons})
        if text == self._shown:
            return
        self._shown = text
        self._gate_state.publish(String(data=text))
        self._hold_state.publish(Bool(data=level >= Level.STOP))
        self.health.show_gate(level, reasons)

    @guarded
    def _on_hold(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._held = request.data
        response.success = True
        response.message = 'holding' if request.data else 'following'
        return response

    @guarded
    def _on_reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._player.forgive(self.now())
        self._gate.reset()
        response.success = True
        response.message = 'chunks and faults forgotten'
        return response

    def _trajectory_message(self, command: Command) -> JointTrajectory:
        message = JointTrajectory(joint_names=list(command.joint_names))
        message.header.stamp = stamp_from_seconds(command.stamp)
        message.points = [
            JointTrajectoryPoint(
                positions=position, velocities=velocity,
                time_from_start=duration_from_seconds(offset))
            for offset, position, velocity in zip(
                command.times.tolist(), command.positions.tolist(),
                command.velocities.tolist(), strict=True)]
        return message

    def _forward_message(self, command: Command) -> Float64MultiArray:
        return Float64MultiArray(data=command.position_after(
            self._player.config.dt_control).tolist())


def main() -> int:
    """Run the node."""
    return run_node(ActionExecutor)
