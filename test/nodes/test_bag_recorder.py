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

"""The recorder node: what it keeps, how it ends, and what is left when it is killed."""

import os
import signal
import subprocess
import sys

import pytest
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import String
from support.messages import make_image, make_joint_state
from support.node_graph import ROBOT_FILE, wait_for

from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.evaluation.bag_errors import BagError
from mem_vla_ros.evaluation.bag_messages import decode
from mem_vla_ros.evaluation.bag_storage import BagStorage
from mem_vla_ros.evaluation.bag_writer import STORAGES
from mem_vla_ros.ros import bag_recorder, rosbag2_writer
from mem_vla_ros.ros.bag_recorder import BagRecorder
from mem_vla_ros.ros.qos import LATCHED, SENSOR


def recorded(recorder, topic):
    return recorder._recording.written[topic]


def record_inputs(graph, recorder, count=5):
    """Publish inputs until the recorder has so many images; a busy machine may lose some."""
    graph.send('goal', String(data='find the mug'), LATCHED)

    def enough():
        graph.send('joint_states', make_joint_state(graph.now()), SENSOR)
        graph.send('cameras/base/image', make_image(graph.now()), SENSOR)
        return recorded(recorder, '/cameras/base/image') >= count

    assert wait_for(enough)


@pytest.mark.parametrize('storage', STORAGES)
def test_inputs_are_recorded_with_goal_and_episode(graph, tmp_path, storage):
    recorder = graph.start(BagRecorder, bag=str(tmp_path / 'bag'), storage=storage)
    record_inputs(graph, recorder)
    state = HighLevelState('e7', 0, 1.0, 'find the mug', '', '', '', '', 0, 'ok', 'test')
    graph.send('hl_state', String(data=state.to_json()), LATCHED)
    assert wait_for(lambda: recorded(recorder, '/hl_state') and recorded(recorder, '/goal'))
    recorder.stop()
    with BagStorage(tmp_path / 'bag') as bag:
        messages = list(bag.messages())
        assert bag.damage == []
        assert bag.custom['goal'] == 'find the mug'
        assert bag.custom['episode'] == 'e7'
        assert bag.custom['dropped'] == '0'
    joints = [decode(m.data, m.msgtype) for m in messages if m.topic == '/joint_states']
    assert list(joints[0].name)[-1] == 'gripper'
    assert {'/action_chunk', '/joint_command', '/ll_state', '/memory'} <= set(bag.topics)


def test_images_are_compressed_on_request(graph, tmp_path):
    recorder = graph.start(BagRecorder, bag=str(tmp_path / 'bag'), images='png')
    record_inputs(graph, recorder)
    recorder.stop()
    with BagStorage(tmp_path / 'bag') as bag:
        images = list(bag.messages(['/cameras/base/image/compressed']))
    assert images[0].msgtype == 'sensor_msgs/msg/CompressedImage'
    assert decode(images[0].data, images[0].msgtype).format == 'png'


def test_bag_is_split_by_size(graph, tmp_path):
    recorder = graph.start(BagRecorder, bag=str(tmp_path / 'bag'), split_size=0.01)
    record_inputs(graph, recorder, count=15)
    recorder.stop()
    assert len(list((tmp_path / 'bag').glob('bag_*.mcap'))) >= 3


def test_folder_that_exists_is_refused(graph, tmp_path):
    graph.start(BagRecorder, bag=str(tmp_path))
    assert wait_for(lambda: graph.says('bag_recorder', 'exists already'))


def test_writer_that_is_not_installed_is_refused(graph, tmp_path, monkeypatch):
    monkeypatch.setattr(rosbag2_writer, 'rosbag2_py', None)
    graph.start(BagRecorder, bag=str(tmp_path / 'bag'), writer='rosbag2')
    assert wait_for(lambda: graph.says('bag_recorder', 'rosbag2_py is not installed'))


def test_disk_that_fails_is_reported(graph, tmp_path, monkeypatch):
    def fail(*arguments):
        raise OSError('No space left on device')

    monkeypatch.setattr(bag_recorder.BagWriter, 'write', fail)
    recorder = graph.start(BagRecorder, bag=str(tmp_path / 'bag'), writer='rosbags')
    graph.send('joint_states', make_joint_state(graph.now()), SENSOR)
    assert wait_for(lambda: graph.says('bag_recorder', 'No space left on device'))
    recorder.stop()


def start_recorder_process(bag, storage):
    return subprocess.Popen(
        [sys.executable, '-c', 'from mem_vla_ros.ros.bag_recorder import main; main()',
         '--ros-args', '-p', f'robot_file:={ROBOT_FILE}', '-p', f'bag:={bag}',
         '-p', f'storage:={storage}', '-p', 'writer:=rosbags'],
        env=os.environ.copy(), start_new_session=True)


def feed_until_on_disk(graph, bag):
    """Publish until the recorder has flushed joint states to the disk."""
    joints = graph.probe.create_publisher(JointState, 'joint_states', SENSOR)
    images = graph.probe.create_publisher(Image, 'cameras/base/image', SENSOR)
    assert wait_for(joints.get_subscription_count, 30.0)

    def on_disk():
        joints.publish(make_joint_state(graph.now()))
        images.publish(make_image(graph.now()))
        try:
            with BagStorage(bag) as storage:
                return storage.topics['/joint_states'].count >= 5
        except BagError:
            return False

    assert wait_for(on_disk, 30.0)


@pytest.mark.parametrize('storage', STORAGES)
def test_bag_is_readable_after_kill(graph, tmp_path, storage):
    process = start_recorder_process(tmp_path / 'bag', storage)
    try:
        feed_until_on_disk(graph, tmp_path / 'bag')
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    with BagStorage(tmp_path / 'bag') as bag:
        counts = {}
        for message in bag.messages():
            counts[message.topic] = counts.get(message.topic, 0) + 1
        assert any('not finished' in note for note in bag.damage)
    assert counts['/joint_states'] >= 5


def test_interrupt_finishes_the_bag(graph, tmp_path):
    process = start_recorder_process(tmp_path / 'bag', 'mcap')
    feed_until_on_disk(graph, tmp_path / 'bag')
    process.send_signal(signal.SIGINT)
    assert process.wait(15) == 0
    with BagStorage(tmp_path / 'bag') as bag:
        assert bag.damage == []
        assert len(list(bag.messages(['/joint_states']))) >= 5
