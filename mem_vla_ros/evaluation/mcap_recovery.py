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
An mcap file that was never finished, presented as one that was.

A recorder that is killed leaves whole records, then perhaps a torn one, and no index. The view
ends after the last whole record and adds the end that the format asks for, so that a reader
which can scan reads everything up to there. The file itself is not touched.
"""

import io
from pathlib import Path
import struct

MAGIC = b'\x89MCAP0\r\n'
_HEADER = struct.Struct('<BQ')
_DATA_END, _FOOTER = 0x0F, 0x02
_TAIL = (
    _HEADER.pack(_DATA_END, 4) + bytes(4)
    + _HEADER.pack(_FOOTER, 20) + bytes(20)  # no summary: the reader scans
    + MAGIC)


class UnfinishedMcap:
    """
    Path-like view of an unfinished mcap file.

    :param whole_bytes: Where the last whole record ends.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = path.stat().st_size
        self.whole_bytes = _end_of_whole_records(path)

    def open(self, mode: str = 'rb') -> io.BufferedReader:
        """Open the repaired view for reading."""
        return io.BufferedReader(_PrefixWithTail(self.path, self.whole_bytes, _TAIL))

    def __str__(self) -> str:
        return str(self.path)


class _PrefixWithTail(io.RawIOBase):
    """The first bytes of a file, followed by bytes of our own."""

    def __init__(self, path: Path, prefix_bytes: int, tail: bytes) -> None:
        self._file = path.open('rb')
        self._prefix_bytes = prefix_bytes
        self._tail = tail
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {
            io.SEEK_SET: 0, io.SEEK_CUR: self._position,
            io.SEEK_END: self._prefix_bytes + len(self._tail)}[whence]
        self._position = base + offset
        return self._position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._read_some(len(buffer))
        buffer[:len(data)] = data
        self._position += len(data)
        return len(data)

    def _read_some(self, size: int) -> bytes:
        if self._position < self._prefix_bytes:
            self._file.seek(self._position)
            return self._file.read(min(size, self._prefix_bytes - self._position))
        start = self._position - self._prefix_bytes
        return self._tail[start:start + size]

    def close(self) -> None:
        self._file.close()
        super().close()


def _end_of_whole_records(path: Path) -> int:
    size = path.stat().st_size
    with path.open('rb') as file:
        if file.read(len(MAGIC)) != MAGIC:
            return 0
        end = len(MAGIC)
        while True:
            header = file.read(_HEADER.size)
            if len(header) < _HEADER.size:
                return end
            opcode, length = _HEADER.unpack(header)
            if opcode in (0, _DATA_END, _FOOTER) or end + _HEADER.size + length > size:
                return end
            end += _HEADER.size + length
            file.seek(end)
