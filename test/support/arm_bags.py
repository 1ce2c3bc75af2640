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

"""Bags of the simulated arm, made on the fly."""

import cv2
import numpy as np
from support.messages import HOME, JOINT_NAMES

from mem_vla_ros.evaluation import bag_messages
from mem_vla_ros.evaluation.bag_writer import BagWriter

CAMERAS = ('base', 'left_wrist', 'right_wrist', 'rear')
START = 50.0


def write_arm_bag(
        path, seconds=3.0, storage='mcap', goal='tidy up', compressed=False, jitter=True):
    """
    Write cameras at 10 Hz and joint states at 50 Hz; the arm turns its first joint.

    Stamps jitter a little, as those of real cameras do, and no two are equal; or else cameras
    and joints are stamped alike, as the simulator does, and the joints come first.
    """
    rng = np.random.default_rng(0)
    messages = [(START, '/goal', bag_messages.STRING, bag_messages.encode_string(goal))]
    for step in range(round(seconds * 50)):
        time = START + step * 0.02 + 0.0071 * jitter
        positions = np.array(HOME) + np.array([0.3 * (time - START), 0, 0, 0, 0, 0, 0])
        messages.append((time, '/joint_states', bag_messages.JOINT_STATE,
                         bag_messages.encode_joint_state(JOINT_NAMES, positions, time)))
    for step in range(round(seconds * 10)):
        for camera in CAMERAS:
            time = START + step * 0.1 + float(rng.uniform(0.0, 0.005)) * jitter
            messages.append((time, *_image(camera, step, time, compressed)))
    messages.sort(key=lambda item: item[0])
    with BagWriter(path, storage) as writer:
        for topic, msgtype in {item[1]: item[2] for item in messages}.items():
            writer.add_topic(topic, msgtype)
        for time, topic, _, data in messages:
            writer.write(topic, round(time * 1e9), data)
    return path


def _image(camera, step, time, compressed):
    image = np.full((32, 32, 3), step % 256, np.uint8)
    if not compressed:
        return (f'/cameras/{camera}/image', bag_messages.IMAGE,
                bag_messages.encode_image(image, time, camera))
    return (f'/cameras/{camera}/image/compressed', bag_messages.COMPRESSED_IMAGE,
            bag_messages.encode_compressed_image(
                cv2.imencode('.png', image)[1].tobytes(), 'png', time, camera))
