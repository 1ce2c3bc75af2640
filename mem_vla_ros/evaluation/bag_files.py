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
The storage files of a bag, opened even where the recorder was killed.

A whole bag is read as rosbag2 wrote it. Where metadata or an index is missing, each storage file
is opened on its own, as far as it goes, and what is wrong is told in ``damage``.
"""

from collections.abc import Iterator
from contextlib import ExitStack
import json
from pathlib import Path
import re
import shutil
import sqlite3
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from rosbags.interfaces import Connection
from rosbags.rosbag2 import Reader
from rosbags.rosbag2.metadata import ReaderMetadata
from rosbags.rosbag2.storage_mcap import McapReader
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader

from mem_vla_ros.evaluation.bag_errors import BagError
from mem_vla_ros.evaluation.mcap_recovery import UnfinishedMcap

SUFFIXES = ('.mcap', '.db3')
SIDE_FILE = 'recording.json'


class Storage(Protocol):
    """One readable file, or a whole bag."""

    connections: list[Connection]
    metadata: ReaderMetadata

    def messages(
        self, connections: list[Connection], start: int | None, stop: int | None,
    ) -> Iterator[tuple[Connection, int, bytes]]:
        """Yield connection, time [ns] and data."""
        ...


class BagFiles:
    """
    Open storages of one bag, in the order of time.

    :param path: Bag folder, or a single ``.mcap`` or ``.db3`` file.
    :raises BagError: if nothing in it can be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage: list[str] = []
        self.storages: list[Storage] = []
        self.custom: dict[str, str] = {}
        self._stack = ExitStack()
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close all files and remove temporary copies."""
        self._stack.close()

    def _open(self) -> None:
        if not self.path.exists():
            raise BagError(f'Bag {str(self.path)!r} does not exist.')
        reader = self._open_whole()
        if reader is not None:
            self.storages = [reader.storage]
        else:
            self._open_each()
        self.custom = _read_side_file(self.path) | self.custom

    def _open_whole(self) -> Reader | None:
        try:
            reader = Reader(self.path)
            reader.open()
        except FileNotFoundError:
            self.damage.append(f'{self.path.name}: not finished: it has no metadata.yaml')
            return None
        except Exception as error:  # rosbags raises ReaderError, OSError, and more on bad bytes
            self.damage.append(f'{self.path.name}: {_one_line(error)}')
            return None
        self.custom = dict(reader.storage.metadata.custom or {})
        if any(_is_unindexed(storage) for storage in _storages(reader)) or _hides_topics(reader):
            reader.close()
            return None
        self._stack.callback(reader.close)
        return reader

    def _open_each(self) -> None:
        files = _storage_files(self.path)
        if not files:
            raise BagError(
                f'{str(self.path)!r} is not a rosbag2 bag: no file ending in '
                f'{" or ".join(SUFFIXES)} in it. {" ".join(self.damage)}')
        for file in files:
            try:
                storage = self._open_mcap(file) if file.suffix == '.mcap' else self._open_db3(file)
            except Exception as error:
                self.damage.append(f'{file.name}: nothing can be read: {_one_line(error)}')
                continue
            self._stack.callback(storage.close)
            self.storages.append(storage)
        if not self.storages:
            raise BagError(
                f'Bag {str(self.path)!r} cannot be read. {"; ".join(self.damage)}')

    def _open_mcap(self, file: Path) -> Storage:
        try:
            reader = McapReader(file)
            reader.open()
            return _ScannedMcap(reader) if _is_unindexed(reader) else reader
        except Exception:  # no footer, no index, or a torn record
            view = UnfinishedMcap(file)
        reader = McapReader(view)
        reader.open()
        self.damage.append(
            f'{file.name}: not finished; {view.whole_bytes} of {view.size} bytes can be read')
        return _ScannedMcap(reader)

    def _open_db3(self, file: Path) -> Storage:
        journals = [
            journal for ending in ('-wal', '-journal')
            if (journal := file.with_name(file.name + ending)).exists()]
        if journals:
            file = self._roll_back_in_copy(file, journals)
        reader = Sqlite3Reader(file)
        reader.open()
        return reader

    def _roll_back_in_copy(self, file: Path, journals: list[Path]) -> Path:
        """Return a copy in which SQLite has undone what the killed recorder left half done."""
        folder = self._stack.enter_context(TemporaryDirectory())
        copies = [Path(shutil.copy2(item, folder)) for item in (file, *journals)]
        connection = sqlite3.connect(copies[0])
        connection.execute('SELECT count(*) FROM sqlite_master').fetchone()
        connection.execute('PRAGMA journal_mode=DELETE')
        connection.close()
        self.damage.append(f'{file.name}: not finished; read up to its last commit')
        return copies[0]


class _ScannedMcap:
    """Messages in the order of the file; without an index there is no other."""

    def __init__(self, reader: McapReader) -> None:
        self._reader = reader
        self.connections = reader.connections
        self.metadata = reader.metadata

    def messages(
        self, connections: list[Connection], start: int | None, stop: int | None,
    ) -> Iterator[tuple[Connection, int, bytes]]:
        return self._reader.messages_scan(connections, start, stop)

    def close(self) -> None:
        self._reader.close()


def _hides_topics(reader: Reader) -> bool:
    """
    Return whether rosbags would leave out messages without a word.

    It does where metadata.yaml tells another quality of service than the files, which happens
    to bags that were converted or edited.
    """
    told = [(item.topic, item.msgtype, item.ext) for item in reader.storage.connections]
    return not reader.storage.metadata.compression_mode and any(
        (item.topic, item.msgtype, item.ext) not in told
        for storage in _storages(reader) for item in storage.connections)


def _storages(reader: Reader) -> list[Storage]:
    return list(getattr(reader.storage, 'storages', [reader.storage]))


def _is_unindexed(storage: object) -> bool:
    """Return whether rosbags would insist on an order in time that such a file may not have."""
    return isinstance(storage, McapReader) and not storage.chunks


def _storage_files(path: Path) -> list[Path]:
    if path.is_file():
        return [path] if path.suffix in SUFFIXES else []
    files = [file for file in path.rglob('*') if file.is_file() and file.suffix in SUFFIXES]
    return sorted(files, key=lambda file: [
        int(part) if part.isdigit() else part for part in re.split(r'(\d+)', file.stem)])


def _read_side_file(path: Path) -> dict[str, str]:
    folder = path if path.is_dir() else path.parent
    try:
        document: Any = json.loads((folder / SIDE_FILE).read_text(encoding='utf-8'))
    except (OSError, ValueError):
        return {}
    if not isinstance(document, dict):
        return {}
    return {str(key): str(value) for key, value in document.items()}


def _one_line(error: Exception) -> str:
    return ' '.join(f'{type(error).__name__}: {error}'.split())
