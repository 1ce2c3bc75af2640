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

"""Valid messages; a test changes one field."""

import numpy as np
from sensor_msgs.msg import Image, JointState

from mem_vla_ros.ros.conversions import image_to_message, seconds_from_stamp

JOINT_NAMES = ('joint_1', 'joint_2', 'joint_3', 'joint_4', 'joint_5', 'joint_6', 'gripper')
HOME = (0.0, -0.9, 2.3, 0.0, 0.9, 0.0, 0.03)


def make_joint_state(stamp, positions=HOME, names=JOINT_NAMES):
    """Return a joint state of the simulated arm."""
    message = JointState(name=list(names), position=list(positions))
    message.header.stamp = stamp
    return message


def make_image(stamp, **changes):
    """Return a grey rgb8 image, 32x32, with some fields changed."""
    message = image_to_message(
        np.full((32, 32, 3), 128, np.uint8), seconds_from_stamp(stamp), 'camera')
    for name, value in changes.items():
        setattr(message, name, value)
    assert isinstance(message, Image)
    return message
