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
Writes rosbag2 bags without ROS: mcap or sqlite3, split by size or time, readable when killed.

While it writes, the bag folder holds finished files ``<bag>_<n>.mcap``, one unfinished
``<bag>_<n>.part/``, and ``recording.json`` with what the recording is about. ``close`` finishes
the last file and writes ``metadata.yaml``; without it, ``BagStorage`` still reads everything up
to the last ``flush``.
"""

from collections.abc import Mapping, Sequence
import json
import os
from pathlib import Path
from typing import Any, Self

from rosbags.interfaces import Connection, Qos
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.rosbag2.storage_mcap import McapWriter
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Writer
import yaml

from mem_vla_ros.evaluation.bag_errors import BagError
from mem_vla_ros.evaluation.bag_files import SIDE_FILE
from mem_vla_ros.evaluation.bag_messages import typestore

STORAGES = ('mcap', 'sqlite3')
_ROSBAG2_VERSION = 8  # what ROS 2 Jazzy writes
_INFORMATION = 'rosbag2_bagfile_information'


class BagWriter:
    """
    One bag being written; every method is called from one thread.

    :param path: Folder to make; must not exist.
    :param max_bytes: Begin another file after this much message data; 0 never does.
    :param max_seconds: Begin another file after this much time; 0 never does.
    :param compress: Compress mcap chunks with zstd.
    :raises BagError: if the folder exists or the storage is unknown.
    """

    def __init__(
        self, path: str | Path, storage: str = 'mcap', max_bytes: int = 0,
        max_seconds: float = 0.0, compress: bool = False,
    ) -> None:
        self.path = Path(path)
        if storage not in STORAGES:
            raise BagError(f'Storage must be one of {list(STORAGES)}. Got {storage!r}.')
        if compress and storage != 'mcap':
            raise BagError(f"Compression needs storage 'mcap'. Got {storage!r}.")
        if self.path.exists():
            raise BagError(f'Bag {str(self.path)!r} exists already; nothing is overwritten.')
        self._plugin = StoragePlugin[storage.upper()]
        self._max_bytes = max_bytes
        self._max_ns = round(max_seconds * 1e9)
        self._compress = compress
        self._parts: list[dict[str, Any]] = []
        self._custom: dict[str, str] = {}
        self._topics: dict[str, tuple[str, tuple[Qos, ...]]] = {}
        self.path.mkdir(parents=True)
        self._begin_part()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def add_topic(self, topic: str, msgtype: str, qos: Sequence[Qos] = ()) -> None:
        """
        Make a topic known; also one that never gets a message is then in the bag.

        :raises BagError: if the message type is none of ROS 2 Jazzy's own.
        """
        if msgtype not in typestore().fielddefs:
            raise BagError(f'Topic {topic!r}: message type {msgtype!r} is not known.')
        self._topics[topic] = (msgtype, tuple(qos))
        self._connect(topic)

    def write(self, topic: str, time_ns: int, data: bytes | memoryview) -> None:
        """Write one serialized message of a topic that was added."""
        size = len(data)
        if self._counted and self._part_is_full(size, time_ns):
            self._end_part()
            self._begin_part()
        self._writer.write(self._connections[topic], time_ns, data)
        self._first_ns = min(self._first_ns, time_ns) if self._counted else time_ns
        self._bytes += size
        self._counted += 1

    def describe(self, custom: Mapping[str, str]) -> None:
        """Keep what the recording is about: at once beside the data, finally in its metadata."""
        self._custom |= custom
        _write_whole(self.path / SIDE_FILE, json.dumps(self._custom, indent=1))

    def flush(self) -> None:
        """Make what was written so far readable even if the process is killed."""
        storage = self._writer.storage
        if isinstance(storage, McapWriter):
            if storage.chunk.bio.tell():
                storage.close_chunk()
            storage.bio.flush()
        elif isinstance(storage, Sqlite3Writer):
            storage.conn.commit()

    def close(self) -> None:
        """Finish the bag."""
        self._end_part()
        text = yaml.safe_dump({_INFORMATION: self._merged_metadata()}, sort_keys=False)
        _write_whole(self.path / 'metadata.yaml', text)

    def _begin_part(self) -> None:
        self._writer = Writer(
            self.path / f'{self.path.name}_{len(self._parts)}.part',
            version=_ROSBAG2_VERSION, storage_plugin=self._plugin)
        if self._compress:
            self._writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        self._writer.open()
        self._connections: dict[str, Connection] = {}
        self._bytes = self._counted = self._first_ns = 0
        for topic in self._topics:
            self._connect(topic)

    def _connect(self, topic: str) -> None:
        msgtype, qos = self._topics[topic]
        self._connections[topic] = self._writer.add_connection(
            topic, msgtype, typestore=typestore(), offered_qos_profiles=qos)

    def _part_is_full(self, size: int, time_ns: int) -> bool:
        too_long = self._max_ns and time_ns - self._first_ns >= self._max_ns
        return bool(too_long or (self._max_bytes and self._bytes + size > self._max_bytes))

    def _end_part(self) -> None:
        self._writer.close()
        folder = self._writer.path
        written = yaml.safe_load((folder / 'metadata.yaml').read_text(encoding='utf-8'))
        information: dict[str, Any] = written[_INFORMATION]
        file = folder / information['relative_file_paths'][0]
        target = self.path / f'{folder.stem}{file.suffix}'
        os.replace(file, target)
        (folder / 'metadata.yaml').unlink()
        folder.rmdir()
        information['relative_file_paths'] = [target.name]
        information['files'][0]['path'] = target.name
        self._parts.append(information)

    def _merged_metadata(self) -> dict[str, Any]:
        filled = [part for part in self._parts if part['message_count']] or self._parts[:1]
        starts = [part['starting_time']['nanoseconds_since_epoch'] for part in filled]
        ends = [start + part['duration']['nanoseconds']
                for start, part in zip(starts, filled, strict=True)]
        topics = {
            topic['topic_metadata']['name']: dict(topic)
            for topic in self._parts[-1]['topics_with_message_count']}
        for part in self._parts[:-1]:
            for topic in part['topics_with_message_count']:
                topics[topic['topic_metadata']['name']]['message_count'] += topic['message_count']
        return self._parts[0] | {
            'starting_time': {'nanoseconds_since_epoch': min(starts)},
            'duration': {'nanoseconds': max(ends) - min(starts)},
            'message_count': sum(part['message_count'] for part in self._parts),
            'relative_file_paths': [part['relative_file_paths'][0] for part in self._parts],
            'files': [part['files'][0] for part in self._parts],
            'topics_with_message_count': list(topics.values()),
            'custom_data': self._custom or None,
        }


def _write_whole(path: Path, text: str) -> None:
    """Replace a file at once, so that a reader sees the old or the new one."""
    temporary = path.with_name(path.name + '.tmp')
    temporary.write_text(text, encoding='utf-8')
    os.replace(temporary, path)
