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

"""A bag written by rosbag2 itself, where it is installed."""

from collections.abc import Mapping
import json
import math
from pathlib import Path
from typing import Any

try:
    import rosbag2_py
except ImportError:  # ROS from PyPI has no rosbag2
    rosbag2_py = None

from mem_vla_ros.evaluation.bag_errors import BagError
from mem_vla_ros.evaluation.bag_files import SIDE_FILE


def rosbag2_is_installed() -> bool:
    """Return whether rosbag2's Python module can be used."""
    return rosbag2_py is not None


class Rosbag2Writer:
    """
    The same interface as ``BagWriter``, on ``rosbag2_py.SequentialWriter``.

    Without a cache every message goes to the storage at once; a killed process leaves all of a
    sqlite3 bag, and of an mcap bag all chunks but the last. rosbag2 splits by whole seconds.
    """

    def __init__(
        self, path: str | Path, storage: str = 'mcap', max_bytes: int = 0,
        max_seconds: float = 0.0,
    ) -> None:
        self.path = Path(path)
        if self.path.exists():
            raise BagError(f'Bag {str(self.path)!r} exists already; nothing is overwritten.')
        self._custom: dict[str, str] = {}
        self._count = 0
        self._writer: Any = rosbag2_py.SequentialWriter()
        self._writer.open(
            rosbag2_py.StorageOptions(
                uri=str(self.path), storage_id=storage, max_bagfile_size=max_bytes,
                max_bagfile_duration=math.ceil(max_seconds), max_cache_size=0),
            rosbag2_py.ConverterOptions(
                input_serialization_format='cdr', output_serialization_format='cdr'))

    def add_topic(self, topic: str, msgtype: str) -> None:
        """Make a topic known."""
        self._writer.create_topic(rosbag2_py.TopicMetadata(
            id=self._count, name=topic, type=msgtype, serialization_format='cdr'))
        self._count += 1

    def write(self, topic: str, time_ns: int, data: bytes) -> None:
        """Write one serialized message."""
        self._writer.write(topic, data, time_ns)

    def describe(self, custom: Mapping[str, str]) -> None:
        """Keep what the recording is about beside the data."""
        self._custom |= custom
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / SIDE_FILE).write_text(json.dumps(self._custom, indent=1), encoding='utf-8')

    def flush(self) -> None:
        """Do nothing: there is no cache."""

    def close(self) -> None:
        """Finish the bag, and write into its metadata what it is about."""
        self._writer.close()
        metadata_io = rosbag2_py.MetadataIo()
        metadata = metadata_io.read_metadata(str(self.path))
        metadata.custom_data = self._custom
        metadata_io.write_metadata(str(self.path), metadata)
