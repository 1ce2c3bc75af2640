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

"""A recording under way: bounded, counted, and described while it runs."""

import threading

import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.evaluation import bag_messages
from mem_vla_ros.evaluation.bag_recording import BagRecording

TOPICS = {
    '/image': bag_messages.IMAGE, '/goal': bag_messages.STRING, '/hl_state': bag_messages.STRING}


class MemoryWriter:
    """Keeps everything; may be made to wait or fail."""

    def __init__(self):
        self.topics, self.messages, self.custom = {}, [], {}
        self.closed = False
        self.may_write = threading.Event()
        self.may_write.set()
        self.writing = threading.Event()

    def add_topic(self, topic, msgtype):
        self.topics[topic] = msgtype

    def write(self, topic, time_ns, data):
        self.writing.set()
        assert self.may_write.wait(10.0)
        self.messages.append((topic, time_ns, data))

    def describe(self, custom):
        self.custom |= custom

    def flush(self):
        """Nothing waits."""

    def close(self):
        self.closed = True


def image(size=16, encoding_bytes=None):
    data = bag_messages.encode_image(np.zeros((size, size, 3), np.uint8), 1.0)
    return data if encoding_bytes is None else data.replace(b'rgb8', encoding_bytes)


def test_messages_arrive_in_order_and_the_bag_is_closed():
    writer = MemoryWriter()
    recording = BagRecording(lambda: writer, TOPICS)
    for index in range(10):
        assert recording.offer('/image', index, image())
    recording.close()
    assert [time_ns for _, time_ns, _ in writer.messages] == list(range(10))
    assert writer.closed
    assert writer.custom['dropped'] == '0'


def test_images_are_dropped_before_states_when_the_disk_is_slow():
    writer = MemoryWriter()
    writer.may_write.clear()
    recording = BagRecording(lambda: writer, TOPICS, max_queue_bytes=2000)
    assert recording.offer('/image', 0, image())
    assert writer.writing.wait(10.0)
    accepted = [recording.offer('/image', index, image()) for index in range(1, 10)]
    assert accepted == [True, True] + [False] * 7
    assert recording.queued_bytes <= 2000
    assert recording.offer('/goal', 10, bag_messages.encode_string('x' * 400))
    assert not recording.offer('/goal', 11, bag_messages.encode_string('x' * 4000))
    writer.may_write.set()
    recording.close()
    assert recording.dropped == {'/image': 7, '/goal': 1}
    assert writer.custom['dropped'] == '8'


def test_goal_and_episodes_are_described_as_they_come():
    writer = MemoryWriter()
    recording = BagRecording(lambda: writer, TOPICS)
    recording.offer('/goal', 0, bag_messages.encode_string('tidy up'))
    for index, episode in enumerate(('e1', 'e1', 'e2')):
        state = HighLevelState(episode, 0, 0.0, '', '', '', '', '', 0, 'ok', 'test')
        recording.offer('/hl_state', index, bag_messages.encode_string(state.to_json()))
    recording.offer('/hl_state', 9, bag_messages.encode_string('not a state'))
    recording.close()
    assert writer.custom == {
        'goal': 'tidy up', 'episode': 'e2', 'episodes': 'e1 e2', 'dropped': '0'}
    assert len(writer.messages) == 5


def test_raw_images_are_kept_under_the_compressed_topic():
    writer = MemoryWriter()
    recording = BagRecording(lambda: writer, TOPICS, images='jpeg')
    recording.offer('/image', 0, image(64))
    recording.offer('/image', 1, image(64, b'xyz8'))
    recording.close()
    assert writer.topics['/image/compressed'] == bag_messages.COMPRESSED_IMAGE
    message = bag_messages.decode(writer.messages[0][2], bag_messages.COMPRESSED_IMAGE)
    assert message.format == 'jpeg'
    assert len(message.data) < 64 * 64
    assert recording.dropped == {'/image': 1}


def test_writer_that_fails_stops_the_recording_and_says_why():
    def fail():
        raise OSError('disk is full')

    recording = BagRecording(fail, TOPICS)
    recording.close()
    assert 'disk is full' in recording.failure
    assert not recording.offer('/image', 0, image())


def test_unknown_image_form_is_refused():
    with pytest.raises(ConfigError, match="one of \\['raw', 'jpeg', 'png'\\]"):
        BagRecording(MemoryWriter, TOPICS, images='gif')
