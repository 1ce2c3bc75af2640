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

"""Bags on disk: both storages, splits, and files that a killed recorder left."""

import json

import pytest
from rosbags.rosbag2 import Reader
import yaml

from mem_vla_ros.evaluation.bag_errors import BagError
from mem_vla_ros.evaluation.bag_messages import encode_string, STRING
from mem_vla_ros.evaluation.bag_storage import BagStorage
from mem_vla_ros.evaluation.bag_writer import BagWriter, STORAGES
from mem_vla_ros.evaluation.mcap_recovery import UnfinishedMcap

SUFFIX = {'mcap': '.mcap', 'sqlite3': '.db3'}


def write_texts(path, storage, count=20, **options):
    """Return a writer that has written one text a second."""
    writer = BagWriter(path, storage, **options)
    writer.add_topic('/text', STRING)
    for index in range(count):
        writer.write('/text', index * 10**9, encode_string(f'message {index}'))
    return writer


def read_texts(path):
    with BagStorage(path) as bag:
        messages = list(bag.messages())
        return messages, list(bag.damage)


@pytest.mark.parametrize('storage', STORAGES)
def test_what_is_written_is_read_back(tmp_path, storage):
    write_texts(tmp_path / 'bag', storage).close()
    messages, damage = read_texts(tmp_path / 'bag')
    assert [message.time_ns for message in messages] == [i * 10**9 for i in range(20)]
    assert messages[3].data == encode_string('message 3')
    assert damage == []


@pytest.mark.parametrize('storage', STORAGES)
def test_a_single_storage_file_is_a_bag_too(tmp_path, storage):
    write_texts(tmp_path / 'bag', storage).close()
    messages, damage = read_texts(tmp_path / 'bag' / f'bag_0{SUFFIX[storage]}')
    assert (len(messages), damage) == (20, [])


def test_compressed_chunks_are_read_back(tmp_path):
    write_texts(tmp_path / 'bag', 'mcap', compress=True).close()
    assert len(read_texts(tmp_path / 'bag')[0]) == 20


@pytest.mark.parametrize('storage', STORAGES)
@pytest.mark.parametrize('limit', [{'max_seconds': 5.0}, {'max_bytes': 100}])
def test_split_bag_reads_as_one(tmp_path, storage, limit):
    write_texts(tmp_path / 'bag', storage, **limit).close()
    files = sorted((tmp_path / 'bag').glob(f'*{SUFFIX[storage]}'))
    assert len(files) >= 4
    messages, damage = read_texts(tmp_path / 'bag')
    assert [message.time_ns for message in messages] == [i * 10**9 for i in range(20)]
    assert damage == []
    with Reader(tmp_path / 'bag') as reader:
        assert reader.message_count == 20
        assert reader.duration == 19 * 10**9 + 1


@pytest.mark.parametrize('storage', STORAGES)
def test_quality_of_service_that_was_edited_hides_no_messages(tmp_path, storage):
    writer = write_texts(tmp_path / 'bag', storage)
    writer.describe({'goal': 'tidy up'})
    writer.close()
    metadata = tmp_path / 'bag' / 'metadata.yaml'
    document = yaml.safe_load(metadata.read_text())
    topic, = document['rosbag2_bagfile_information']['topics_with_message_count']
    topic['topic_metadata']['offered_qos_profiles'] = yaml.safe_dump([{
        'history': 3, 'depth': 0, 'reliability': 1, 'durability': 2, 'liveliness': 1,
        **dict.fromkeys(('deadline', 'lifespan', 'liveliness_lease_duration'),
                        {'sec': 0, 'nsec': 0}),
        'avoid_ros_namespace_conventions': False}])
    metadata.write_text(yaml.safe_dump(document))
    (tmp_path / 'bag' / 'recording.json').unlink()
    with BagStorage(tmp_path / 'bag') as bag:
        assert (len(list(bag.messages())), bag.damage) == (20, [])
        assert bag.custom == {'goal': 'tidy up'}


def test_what_the_recording_is_about_is_in_the_metadata(tmp_path):
    writer = write_texts(tmp_path / 'bag', 'mcap')
    writer.describe({'episode': 'e1'})
    writer.describe({'goal': 'tidy up'})
    writer.close()
    document = yaml.safe_load((tmp_path / 'bag' / 'metadata.yaml').read_text())
    assert document['rosbag2_bagfile_information']['custom_data'] == {
        'episode': 'e1', 'goal': 'tidy up'}
    with BagStorage(tmp_path / 'bag') as bag:
        assert bag.custom == {'episode': 'e1', 'goal': 'tidy up'}


@pytest.mark.parametrize('storage', STORAGES)
def test_bag_that_was_never_closed_is_read_up_to_the_last_flush(tmp_path, storage):
    writer = write_texts(tmp_path / 'bag', storage, max_seconds=5.0)
    writer.describe({'goal': 'tidy up'})
    writer.flush()
    writer.write('/text', 20 * 10**9, encode_string('never flushed'))
    with BagStorage(tmp_path / 'bag') as bag:
        assert len(list(bag.messages())) == 20
        assert bag.custom == {'goal': 'tidy up'}
        assert any('not finished' in note for note in bag.damage)
    writer.close()


def test_truncated_mcap_is_read_up_to_its_last_whole_record(tmp_path):
    writer = BagWriter(tmp_path / 'bag', 'mcap')
    writer.add_topic('/text', STRING)
    for index in range(20):
        writer.write('/text', index * 10**9, encode_string(f'message {index}'))
        writer.flush()
    writer.close()
    file = tmp_path / 'bag' / 'bag_0.mcap'
    whole = file.read_bytes()
    counts = []
    for share in (0.1, 0.25, 0.4):
        file.write_bytes(whole[:int(share * len(whole))])
        messages, damage = read_texts(tmp_path / 'bag')
        assert [message.time_ns for message in messages] == [
            i * 10**9 for i in range(len(messages))]
        assert any('not finished' in note for note in damage)
        counts.append(len(messages))
    assert 0 < counts[0] < counts[1] < counts[2] <= 20


def test_mcap_without_an_index_is_read_in_the_order_of_the_file(tmp_path):
    writer = BagWriter(tmp_path / 'bag', 'mcap')
    writer.add_topic('/text', STRING)
    times = [0, 2, 1, 3]
    for time in times:
        writer.write('/text', time * 10**9, encode_string('text'))
    writer.close()
    file = tmp_path / 'bag' / 'bag_0.mcap'
    file.write_bytes(UnfinishedMcap(file).open().read())
    messages, damage = read_texts(tmp_path / 'bag')
    assert [message.time_ns for message in messages] == [time * 10**9 for time in times]
    assert damage == []


@pytest.mark.parametrize('storage', STORAGES)
def test_flipped_bytes_end_the_reading_with_a_note(tmp_path, storage):
    writer = write_texts(tmp_path / 'bag', storage, count=4000)
    writer.close()
    file = next((tmp_path / 'bag').glob(f'*{SUFFIX[storage]}'))
    data = bytearray(file.read_bytes())
    middle = len(data) // 3
    data[middle:middle + 6000] = b'\xff' * 6000
    file.write_bytes(data)
    try:
        messages, damage = read_texts(tmp_path / 'bag')
    except BagError as error:
        assert 'cannot be read' in str(error)
    else:
        assert len(messages) < 4000
        assert damage


@pytest.mark.parametrize('content', [b'', b'not a bag at all', b'\x89MCAP0\r\n'])
@pytest.mark.parametrize('name', ['bag_0.mcap', 'bag_0.db3'])
def test_file_that_is_no_bag_is_refused_with_a_message(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BagError, match=r'cannot be read|holds no messages'):
        BagStorage(tmp_path)


def test_missing_and_empty_folders_are_refused(tmp_path):
    with pytest.raises(BagError, match='does not exist'):
        BagStorage(tmp_path / 'nowhere')
    with pytest.raises(BagError, match='is not a rosbag2 bag'):
        BagStorage(tmp_path)


@pytest.mark.parametrize('storage', STORAGES)
def test_bag_without_messages_is_refused(tmp_path, storage):
    writer = BagWriter(tmp_path / 'bag', storage)
    writer.add_topic('/text', STRING)
    writer.close()
    with pytest.raises(BagError, match='holds no messages'):
        BagStorage(tmp_path / 'bag')


def test_nothing_is_overwritten(tmp_path):
    write_texts(tmp_path / 'bag', 'mcap').close()
    with pytest.raises(BagError, match='exists already'):
        BagWriter(tmp_path / 'bag')


def test_side_file_that_is_not_json_is_ignored(tmp_path):
    write_texts(tmp_path / 'bag', 'mcap').close()
    (tmp_path / 'bag' / 'recording.json').write_text('{')
    with BagStorage(tmp_path / 'bag') as bag:
        assert bag.custom == {}
    (tmp_path / 'bag' / 'recording.json').write_text(json.dumps([1]))
    with BagStorage(tmp_path / 'bag') as bag:
        assert bag.custom == {}
