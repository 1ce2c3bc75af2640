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
Closed-form kinematics of the simulated arm.

Joints 1 to 3 place the wrist, whose three axes meet in one point; joints 4 to 6 turn the hand.
The tool centre point lies between the finger tips; the hand's z axis points out of the gripper,
its y axis from finger to finger.
"""

import math

import numpy as np

from mem_vla_ros.core.types import FloatArray

SHOULDER_HEIGHT = 0.2
UPPER_ARM = 0.28
FOREARM = 0.26
HAND = 0.145

DOWN = math.pi
FORWARD = math.pi / 2


def rotation_y(angle: float) -> FloatArray:
    """Return the rotation matrix about y."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def rotation_z(angle: float) -> FloatArray:
    """Return the rotation matrix about z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def tool_rotation(pitch: float, heading: float, roll: float = 0.0) -> FloatArray:
    """
    Return the orientation of the hand.

    :param pitch: Angle from straight up: ``FORWARD`` is horizontal, ``DOWN`` points down.
    :param heading: Direction in the table plane in which the pitch is taken.
    :param roll: Turn about the hand's own axis.
    """
    return rotation_z(heading) @ rotation_y(pitch) @ rotation_z(roll)


def forward(joints: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the tool's position and rotation matrix for joint positions of shape (>=6,)."""
    j1, j2, j3, j4, j5, j6 = (float(value) for value in joints[:6])
    upper = rotation_z(j1) @ rotation_y(j2)
    lower = upper @ rotation_y(j3)
    hand = lower @ rotation_z(j4) @ rotation_y(j5) @ rotation_z(j6)
    position = (np.array([0.0, 0.0, SHOULDER_HEIGHT]) + UPPER_ARM * upper[:, 2]
                + FOREARM * lower[:, 2] + HAND * hand[:, 2])
    return position, hand


def inverse(position: FloatArray, rotation: FloatArray) -> FloatArray:
    """
    Return six joint positions that bring the tool to the pose, elbow up.

    A point out of reach gives the nearest stretch of the arm towards it.
    """
    wrist = np.asarray(position, dtype=np.float64) - HAND * rotation[:, 2]
    j1 = math.atan2(wrist[1], wrist[0])
    radius, height = math.hypot(wrist[0], wrist[1]), wrist[2] - SHOULDER_HEIGHT
    cosine = (radius ** 2 + height ** 2 - UPPER_ARM ** 2 - FOREARM ** 2) / (
        2 * UPPER_ARM * FOREARM)
    j3 = math.acos(min(1.0, max(-1.0, cosine)))
    j2 = math.atan2(radius, height) - math.atan2(
        FOREARM * math.sin(j3), UPPER_ARM + FOREARM * math.cos(j3))
    local = (rotation_z(j1) @ rotation_y(j2 + j3)).T @ rotation
    return np.array([j1, j2, j3, *_wrist_angles(local)])


def inverse_symmetric(position: FloatArray, rotation: FloatArray) -> FloatArray:
    """Return the joints for the pose or the same with the two fingers swapped, the nearer one."""
    direct = inverse(position, rotation)
    swapped = inverse(position, rotation @ rotation_z(math.pi))
    return direct if np.abs(direct[3:]).max() <= np.abs(swapped[3:]).max() else swapped


def _wrist_angles(local: FloatArray) -> tuple[float, float, float]:
    sine = math.hypot(local[0, 2], local[1, 2])
    if sine < 1e-6:
        return 0.0, math.acos(min(1.0, max(-1.0, local[2, 2]))), math.atan2(
            local[1, 0], local[1, 1])
    positive = (math.atan2(local[1, 2], local[0, 2]), math.atan2(sine, local[2, 2]),
                math.atan2(local[2, 1], -local[2, 0]))
    negative = (math.atan2(-local[1, 2], -local[0, 2]), -math.atan2(sine, local[2, 2]),
                math.atan2(-local[2, 1], local[2, 0]))
    return min(positive, negative, key=lambda angles: abs(angles[0]) + 0.1 * abs(angles[2]))
