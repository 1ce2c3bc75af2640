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

"""ROS 2 messages of a bag as plain values, and back, without ROS."""

from functools import cache
from typing import Any

import numpy as np
from rosbags.typesys import get_typestore, Stores
from rosbags.typesys.store import Typestore

from mem_vla_ros.core.chunk_fields import chunk_from_fields
from mem_vla_ros.core.types import ActionChunk, FloatArray, ImageArray

IMAGE = 'sensor_msgs/msg/Image'
COMPRESSED_IMAGE = 'sensor_msgs/msg/CompressedImage'
JOINT_STATE = 'sensor_msgs/msg/JointState'
TRAJECTORY = 'trajectory_msgs/msg/JointTrajectory'
FLOAT_ARRAY = 'std_msgs/msg/Float64MultiArray'
STRING = 'std_msgs/msg/String'
BOOL = 'std_msgs/msg/Bool'
DIAGNOSTICS = 'diagnostic_msgs/msg/DiagnosticArray'
CLOCK = 'rosgraph_msgs/msg/Clock'

_NANOSECONDS = 1_000_000_000


@cache
def typestore() -> Typestore:
    """Return the message types of ROS 2 Jazzy."""
    return get_typestore(Stores.ROS2_JAZZY)


def decode(data: bytes, msgtype: str) -> Any:
    """Return a serialized message as an object with the message's fields."""
    return typestore().deserialize_cdr(data, msgtype)


def seconds(stamp: Any) -> float:
    """Return a stamp or duration message in seconds."""
    return float(stamp.sec + stamp.nanosec / _NANOSECONDS)


def chunk_from_trajectory(message: Any) -> ActionChunk:
    """
    Return the chunk in a decoded JointTrajectory.

    :raises MessageRejected: if the rows differ in length or are not evenly spaced in time.
    """
    return chunk_from_fields(
        tuple(message.joint_names), seconds(message.header.stamp), message.header.frame_id,
        np.array([seconds(point.time_from_start) for point in message.points]),
        [np.asarray(point.positions, dtype=np.float64) for point in message.points])


def encode_image(image: ImageArray, stamp: float, frame_id: str = '') -> bytes:
    """Return an RGB array as a serialized rgb8 Image."""
    height, width = image.shape[:2]
    return _encode(IMAGE, header=_header(stamp, frame_id), height=height, width=width,
                   encoding='rgb8', is_bigendian=0, step=3 * width,
                   data=np.ascontiguousarray(image).reshape(-1))


def encode_compressed_image(data: bytes, form: str, stamp: float, frame_id: str = '') -> bytes:
    """Return JPEG or PNG bytes as a serialized CompressedImage."""
    return _encode(COMPRESSED_IMAGE, header=_header(stamp, frame_id), format=form,
                   data=np.frombuffer(data, dtype=np.uint8))


def encode_joint_state(
    names: tuple[str, ...], positions: FloatArray, stamp: float,
) -> bytes:
    """Return joint positions as a serialized JointState."""
    empty = np.zeros(0)
    return _encode(JOINT_STATE, header=_header(stamp), name=list(names),
                   position=np.asarray(positions, dtype=np.float64), velocity=empty, effort=empty)


def encode_string(text: str) -> bytes:
    """Return a text as a serialized String."""
    return _encode(STRING, data=text)


def encode_chunk(chunk: ActionChunk) -> bytes:
    """Return a chunk as a serialized JointTrajectory, see docs/architecture.md."""
    types = typestore().types
    empty = np.zeros(0)
    points = [
        types['trajectory_msgs/msg/JointTrajectoryPoint'](
            positions=np.asarray(row, dtype=np.float64), velocities=empty, accelerations=empty,
            effort=empty, time_from_start=types['builtin_interfaces/msg/Duration'](
                **_split_seconds(index * chunk.dt)))
        for index, row in enumerate(chunk.positions)]
    frame_id = f'{chunk.session}/{chunk.episode}/{chunk.number}'
    return _encode(TRAJECTORY, header=_header(chunk.stamp, frame_id),
                   joint_names=list(chunk.joint_names), points=points)


def encode_clock(stamp: float) -> bytes:
    """Return a time as a serialized Clock."""
    return _encode(CLOCK, clock=_time(stamp))


def _encode(msgtype: str, **fields: Any) -> bytes:
    return bytes(typestore().serialize_cdr(typestore().types[msgtype](**fields), msgtype))


def _header(stamp: float, frame_id: str = '') -> Any:
    return typestore().types['std_msgs/msg/Header'](stamp=_time(stamp), frame_id=frame_id)


def _time(stamp: float) -> Any:
    return typestore().types['builtin_interfaces/msg/Time'](**_split_seconds(stamp))


def _split_seconds(value: float) -> dict[str, int]:
    sec, nanosec = divmod(round(value * _NANOSECONDS), _NANOSECONDS)
    return {'sec': sec, 'nanosec': nanosec}
