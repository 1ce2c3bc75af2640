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

"""ROS messages to plain values and back."""

from array import array

from builtin_interfaces.msg import Duration, Time
import numpy as np
from sensor_msgs.msg import CompressedImage, Image, JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from mem_vla_ros.core.chunk_fields import chunk_from_fields
from mem_vla_ros.core.chunk_fields import MessageRejected as MessageRejected
from mem_vla_ros.core.images import (
    check_raw_image,
    decode_compressed_image,
    decode_raw_image,
    ImageRejected,
)
from mem_vla_ros.core.types import ActionChunk, FloatArray, ImageArray

try:
    from cv_bridge import CvBridge
    _bridge = CvBridge()
except ImportError:
    _bridge = None

_NANOSECONDS = 1_000_000_000


def seconds_from_stamp(stamp: Time | Duration) -> float:
    """Return a stamp or duration in seconds."""
    return stamp.sec + stamp.nanosec / _NANOSECONDS


def stamp_from_seconds(seconds: float) -> Time:
    """Return seconds as a stamp."""
    sec, nanosec = divmod(round(seconds * _NANOSECONDS), _NANOSECONDS)
    return Time(sec=sec, nanosec=nanosec)


def duration_from_seconds(seconds: float) -> Duration:
    """Return seconds as a duration."""
    sec, nanosec = divmod(round(seconds * _NANOSECONDS), _NANOSECONDS)
    return Duration(sec=sec, nanosec=nanosec)


def image_from_message(message: Image | CompressedImage) -> ImageArray:
    """
    Return an image message as RGB, shape (H, W, 3), by cv_bridge where it is installed.

    :raises ImageRejected: if its encoding, size or data is not accepted.
    """
    if isinstance(message, CompressedImage):
        return decode_compressed_image(message.data)
    fields = (message.encoding, message.height, message.width, message.step)
    if _bridge is None:
        return decode_raw_image(*fields, message.data)
    check_raw_image(*fields, len(message.data))
    try:
        return np.ascontiguousarray(_bridge.imgmsg_to_cv2(message, desired_encoding='rgb8'))
    except Exception as error:  # cv_bridge raises TypeError and more besides CvBridgeError
        raise ImageRejected('wrong_encoding', f'cv_bridge refused the image: {error}') from error


def image_to_message(image: ImageArray, stamp: float, frame_id: str) -> Image:
    """Return an RGB array as an rgb8 image message."""
    height, width = image.shape[:2]
    message = Image(height=height, width=width, encoding='rgb8', step=3 * width)
    message.header.stamp = stamp_from_seconds(stamp)
    message.header.frame_id = frame_id
    # An array('B') is taken over as it is; anything else is checked byte by byte (rclpy#763).
    data = array('B')
    data.frombytes(np.ascontiguousarray(image))
    message.data = data
    return message


def joint_state_to_message(
    names: tuple[str, ...], positions: FloatArray, velocities: FloatArray, stamp: float,
) -> JointState:
    """Return joint positions and velocities as a message."""
    message = JointState(
        name=list(names), position=positions.tolist(), velocity=velocities.tolist())
    message.header.stamp = stamp_from_seconds(stamp)
    return message


def chunk_to_message(chunk: ActionChunk) -> JointTrajectory:
    """
    Return a chunk as a trajectory whose stamp is the time of row 0.

    The frame id carries ``session/episode/number``: rclpy does not tell who sent a message.
    """
    message = JointTrajectory(joint_names=list(chunk.joint_names))
    message.header.stamp = stamp_from_seconds(chunk.stamp)
    message.header.frame_id = f'{chunk.session}/{chunk.episode}/{chunk.number}'
    message.points = [
        JointTrajectoryPoint(
            positions=row.tolist(), time_from_start=duration_from_seconds(index * chunk.dt))
        for index, row in enumerate(chunk.positions)]
    return message


def chunk_from_message(message: JointTrajectory) -> ActionChunk:
    """
    Return the chunk in a trajectory message.

    :raises MessageRejected: if the rows differ in length or are not evenly spaced in time.
    """
    return chunk_from_fields(
        tuple(message.joint_names), seconds_from_stamp(message.header.stamp),
        message.header.frame_id,
        np.array([seconds_from_stamp(point.time_from_start) for point in message.points]),
        [point.positions for point in message.points])
