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
Append-only file of JSON records, one per line, each with a checksum.

A line is ``{"crc32":"0123abcd","record":{...}}``, so the file is JSON Lines for any reader. The
checksum covers the exact bytes of ``record``. A file is valid up to its first bad line: what
follows is moved to ``<file>.corrupt``, and the count of bytes moved is reported.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
import errno
import json
import os
from pathlib import Path
from typing import Any
import zlib

_HEAD = b'{"crc32":"'
_MIDDLE = b'","record":'
_TAIL = b'}\n'
_RECORD_AT = len(_HEAD) + 8 + len(_MIDDLE)

Record = dict[str, Any]
Accept = Callable[[int, Record], bool]


def encode_record(record: Record) -> bytes:
    """Return the line of one record."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    body = text.encode('utf-8', 'surrogatepass')
    return _HEAD + b'%08x' % zlib.crc32(body) + _MIDDLE + body + _TAIL


def decode_line(line: bytes) -> Record | None:
    """Return the record of one line, newline included, or None if a single bit is wrong."""
    body = line[_RECORD_AT:-len(_TAIL)]
    if line != _HEAD + b'%08x' % zlib.crc32(body) + _MIDDLE + body + _TAIL:
        return None
    try:
        record = json.loads(body)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _any_record(_index: int, _record: Record) -> bool:
    return True


def decode_prefix(data: bytes, accept: Accept = _any_record) -> tuple[list[Record], int]:
    """
    Return the records before the first bad line, and how many bytes they take.

    :param accept: Told the index and the record; a record that it refuses is a bad line.
    """
    records: list[Record] = []
    good_bytes = 0
    for line in data.splitlines(keepends=True):
        record = decode_line(line)
        if record is None or not accept(len(records), record):
            break
        records.append(record)
        good_bytes += len(line)
    return records, good_bytes


@dataclass(frozen=True)
class Recovery:
    """What opening a file found: its records, and the bytes after them that were moved away."""

    records: tuple[Record, ...]
    corrupt_bytes: int = 0


class RecordFile:
    """
    One file of records with one writer; never holds a partial record that it knows of.

    :param fsync: Force each record to the disk before ``append`` returns, which keeps it through
        a power cut. Without it a killed process still loses nothing, a dead machine may lose the
        last seconds.
    :param accept: See :func:`decode_prefix`.
    """

    def __init__(self, path: Path, fsync: bool = True, accept: Accept = _any_record) -> None:
        self.path = path
        self._fsync = fsync
        self._accept = accept
        self._descriptor = -1
        self._good_bytes = 0

    def open(self) -> Recovery:
        """
        Open for appending, moving an invalid tail to ``<file>.corrupt`` first.

        :raises OSError: if the file cannot be read, cut or created.
        """
        data = self.path.read_bytes() if self.path.is_file() else b''
        records, self._good_bytes = decode_prefix(data, self._accept)
        tail = data[self._good_bytes:]
        if tail:
            self._move_tail(tail)
        self._descriptor = os.open(
            self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        if self._fsync:
            _sync_folder(self.path.parent)
        return Recovery(tuple(records), len(tail))

    def append(self, record: Record) -> None:
        """
        Write one record whole, or leave the file as it was.

        :raises OSError: if it cannot be written (disk full, read-only, gone).
        """
        line = encode_record(record)
        try:
            self._write(line)
        except OSError:
            self._cut_partial_record()
            raise
        self._good_bytes += len(line)

    def close(self) -> None:
        """Close the file; records are on disk already."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _write(self, line: bytes) -> None:
        written = os.write(self._descriptor, line)
        if written != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        if self._fsync:
            os.fsync(self._descriptor)

    def _cut_partial_record(self) -> None:
        # Where even this fails, the checksum tells the next open() to move the tail away.
        with suppress(OSError):
            os.ftruncate(self._descriptor, self._good_bytes)

    def _move_tail(self, tail: bytes) -> None:
        with open(f'{self.path}.corrupt', 'ab') as corrupt:
            corrupt.write(tail)
            corrupt.flush()
            os.fsync(corrupt.fileno())
        os.truncate(self.path, self._good_bytes)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
