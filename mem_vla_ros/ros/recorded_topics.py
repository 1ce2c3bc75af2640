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

"""Which topics are recorded, with their types and quality of service."""

from typing import Any, NamedTuple

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CompressedImage, Image, JointState
from std_msgs.msg import Bool, Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory

from mem_vla_ros.core.robot import Robot
from mem_vla_ros.evaluation import bag_messages

# Deeper than the nodes' own: a recorder wants every message, not the newest.
_DEPTH = 100


class RecordedTopic(NamedTuple):
    """One topic to record."""

    name: str
    kind: Any
    msgtype: str
    qos: QoSProfile


def _profile(reliability: ReliabilityPolicy, durability: DurabilityPolicy) -> QoSProfile:
    return QoSProfile(
        reliability=reliability, durability=durability, history=HistoryPolicy.KEEP_LAST,
        depth=_DEPTH)


SENSOR = _profile(ReliabilityPolicy.BEST_EFFORT, DurabilityPolicy.VOLATILE)
EVENT = _profile(ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE)
LATCHED = _profile(ReliabilityPolicy.RELIABLE, DurabilityPolicy.TRANSIENT_LOCAL)

_TEXTS = {
    'goal': LATCHED, 'subtask': LATCHED, 'memory': LATCHED, 'hl_state': LATCHED,
    'gate_state': LATCHED, 'score': LATCHED, 'll_state': EVENT, 'annotation': EVENT,
    'oracle': SENSOR}


def camera_topics(robot: Robot) -> list[RecordedTopic]:
    """Return the cameras of a robot."""
    return [
        RecordedTopic(camera.topic, CompressedImage, bag_messages.COMPRESSED_IMAGE, SENSOR)
        if camera.transport == 'compressed' else
        RecordedTopic(camera.topic, Image, bag_messages.IMAGE, SENSOR)
        for camera in robot.cameras]


def recorded_topics(robot: Robot) -> list[RecordedTopic]:
    """Return all inputs, outputs and states of docs/architecture.md."""
    if robot.command_type == 'forward':
        command = (Float64MultiArray, bag_messages.FLOAT_ARRAY)
    else:
        command = (JointTrajectory, bag_messages.TRAJECTORY)
    return [
        *camera_topics(robot),
        RecordedTopic(robot.joint_states_topic, JointState, bag_messages.JOINT_STATE, SENSOR),
        RecordedTopic('action_chunk', JointTrajectory, bag_messages.TRAJECTORY, EVENT),
        RecordedTopic(robot.command_topic, *command, EVENT),
        RecordedTopic('hold_state', Bool, bag_messages.BOOL, LATCHED),
        RecordedTopic('/diagnostics', DiagnosticArray, bag_messages.DIAGNOSTICS, EVENT),
        *(RecordedTopic(name, String, bag_messages.STRING, qos) for name, qos in _TEXTS.items())]
