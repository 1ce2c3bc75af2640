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

"""Small bags of a made-up robot, in both storages."""

import json

import numpy as np
import pytest

from mem_vla_ros.core.limits import JointLimits
from mem_vla_ros.core.robot import CameraSource, Robot
from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.evaluation import bag_messages
from mem_vla_ros.evaluation.bag_writer import BagWriter

JOINTS = ('shoulder', 'elbow')
START = 100.0


@pytest.fixture
def robot():
    """Return a robot with two joints and two cameras."""
    return Robot(
        name='two_joints',
        limits=JointLimits(
            JOINTS, np.array([-2.0, -2.0]), np.array([2.0, 2.0]), np.array([5.0, 5.0])),
        home=np.zeros(2),
        cameras=(CameraSource('base', 'cameras/base/image', 'raw'),
                 CameraSource('rear', 'cameras/rear/image', 'raw')),
        joint_states_topic='joint_states', command_type='joint_trajectory',
        command_topic='joint_command')


def joint_positions(time):
    """Return where the made-up robot stands; smooth and never at rest."""
    return np.array([np.sin(time), 0.5 * np.cos(time)])


def image_at(time):
    """Return an image that tells its time by its colour."""
    return np.full((24, 32, 3), round(time * 10) % 256, dtype=np.uint8)


class BagMaker:
    """Builds a valid episode message by message; a test changes one thing."""

    def __init__(self, folder):
        self.folder = folder
        self.messages = []

    def add(self, topic, msgtype, time, data):
        self.messages.append((time, topic, msgtype, data))

    def add_inputs(self, seconds=6.0, camera_period=0.1, joint_period=0.02, names=JOINTS,
                   cameras=('base', 'rear'), start=START):
        for step in range(round(seconds / joint_period)):
            time = start + step * joint_period + 0.004
            self.add('/joint_states', bag_messages.JOINT_STATE, time,
                     bag_messages.encode_joint_state(
                         names, joint_positions(time)[:len(names)], time))
        for step in range(round(seconds / camera_period)):
            time = start + step * camera_period
            for camera in cameras:
                self.add(f'/cameras/{camera}/image', bag_messages.IMAGE, time,
                         bag_messages.encode_image(image_at(time), time, camera))
        return self

    def add_goal(self, text='tidy up', time=START):
        self.add('/goal', bag_messages.STRING, time, bag_messages.encode_string(text))
        return self

    def add_chunks(self, seconds=6.0, period=0.5, rows=8, dt=0.1, error=0.0, start=START):
        for number in range(round(seconds / period)):
            stamp = start + number * period
            positions = np.array([joint_positions(stamp + i * dt) + error for i in range(rows)])
            chunk = ActionChunk(JOINTS, stamp, dt, positions, 'session', 'e1', number)
            self.add('/action_chunk', bag_messages.TRAJECTORY, stamp + 0.05,
                     bag_messages.encode_chunk(chunk))
        return self

    def add_state(self, topic, state, time):
        self.add(topic, bag_messages.STRING, time, bag_messages.encode_string(state.to_json()))
        return self

    def add_annotation(self, time=START, **fields):
        self.add('/annotation', bag_messages.STRING, time,
                 bag_messages.encode_string(json.dumps(fields)))
        return self

    def write(self, name='bag', storage='mcap', **options):
        path = self.folder / name
        writer = BagWriter(path, storage, **options)
        messages = sorted(self.messages, key=lambda item: item[0])
        for topic, msgtype in {item[1]: item[2] for item in messages}.items():
            writer.add_topic(topic, msgtype)
        for index, (time, topic, _, data) in enumerate(messages):
            writer.write(topic, round(time * 1e9), data)
            if index % 50 == 49:
                writer.flush()
        writer.close()
        return path


@pytest.fixture
def bag_maker(tmp_path):
    """Return a builder of bags below a temporary folder."""
    return BagMaker(tmp_path)
