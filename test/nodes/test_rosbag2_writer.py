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
The writer on rosbag2, against a stand-in with rosbag2_py's interface (Jazzy).

The stand-in refuses what the real one would refuse: names, order and types of arguments are those
of rosbag2_py 0.26.5.
"""

import json
from types import SimpleNamespace

import pytest

from mem_vla_ros.evaluation.bag_errors import BagError
from mem_vla_ros.ros import rosbag2_writer
from mem_vla_ros.ros.rosbag2_writer import Rosbag2Writer


class SequentialWriter:
    """Remembers its calls."""

    calls = []

    def open(self, storage, converter):
        self.calls.append(('open', storage, converter))

    def create_topic(self, topic):
        self.calls.append(('create_topic', topic))

    def write(self, topic_name, message, time_stamp):
        assert isinstance(message, bytes) and isinstance(time_stamp, int)
        self.calls.append(('write', topic_name, message, time_stamp))

    def close(self):
        self.calls.append(('close',))


class MetadataIo:
    """Reads and writes a finished bag's metadata."""

    def read_metadata(self, uri):
        assert SequentialWriter.calls[-1] == ('close',)
        return SimpleNamespace(custom_data={})

    def write_metadata(self, uri, metadata):
        SequentialWriter.calls.append(('write_metadata', uri, metadata.custom_data))


def storage_options(
        uri, storage_id='', max_bagfile_size=0, max_bagfile_duration=0, max_cache_size=0,
        storage_preset_profile='', storage_config_uri='', snapshot_mode=False, start_time_ns=-1,
        end_time_ns=-1, custom_data=None):
    assert all(isinstance(number, int) and number >= 0 for number in (
        max_bagfile_size, max_bagfile_duration, max_cache_size))
    return SimpleNamespace(**locals())


def converter_options(input_serialization_format='', output_serialization_format=''):
    assert input_serialization_format == output_serialization_format
    return SimpleNamespace(**locals())


def topic_metadata(
        id, name, type, serialization_format, offered_qos_profiles=(),  # noqa: A002
        type_description_hash=''):
    return SimpleNamespace(**locals())


@pytest.fixture
def calls(monkeypatch):
    SequentialWriter.calls = []
    monkeypatch.setattr(rosbag2_writer, 'rosbag2_py', SimpleNamespace(
        SequentialWriter=SequentialWriter, StorageOptions=storage_options,
        ConverterOptions=converter_options, TopicMetadata=topic_metadata, MetadataIo=MetadataIo))
    return SequentialWriter.calls


def test_calls_have_the_order_of_arguments_that_rosbag2_wants(calls, tmp_path):
    writer = Rosbag2Writer(tmp_path / 'bag', 'sqlite3', max_bytes=1000, max_seconds=60.0)
    writer.add_topic('/text', 'std_msgs/msg/String')
    writer.write('/text', 5, b'data')
    writer.describe({'goal': 'tidy up'})
    writer.close()
    storage = calls[0][1]
    assert (storage.storage_id, storage.max_bagfile_size, storage.max_bagfile_duration) == (
        'sqlite3', 1000, 60)
    assert (calls[1][1].name, calls[1][1].serialization_format) == ('/text', 'cdr')
    assert calls[2] == ('write', '/text', b'data', 5)
    assert calls[3] == ('close',)
    assert calls[4] == ('write_metadata', str(tmp_path / 'bag'), {'goal': 'tidy up'})
    assert json.loads((tmp_path / 'bag' / 'recording.json').read_text()) == {'goal': 'tidy up'}


def test_short_splits_become_whole_seconds(calls, tmp_path):
    Rosbag2Writer(tmp_path / 'bag', max_seconds=0.4)
    Rosbag2Writer(tmp_path / 'other')
    assert [call[1].max_bagfile_duration for call in calls] == [1, 0]


def test_nothing_is_overwritten_by_rosbag2(calls, tmp_path):
    with pytest.raises(BagError, match='exists already'):
        Rosbag2Writer(tmp_path)
