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

"""Append-only record file: torn tails, flipped bits, full disks."""

import json
import os
from pathlib import Path
import subprocess
import sys

import pytest

from mem_vla_ros.memory.record_file import decode_prefix, encode_record, RecordFile

RECORDS = [{'number': number, 'memory': f'I placed {number} bowls, «dann» \n'} for number in
           range(3)]
LINES = [encode_record(record) for record in RECORDS]
DATA = b''.join(LINES)
ENDS = [len(b''.join(LINES[:count])) for count in range(len(LINES) + 1)]


def whole_records(size: int) -> int:
    return max(count for count, end in enumerate(ENDS) if end <= size)


def open_over(path: Path, data: bytes) -> tuple[list[dict], int]:
    path.write_bytes(data)
    file = RecordFile(path, fsync=False)
    recovery = file.open()
    file.append({'number': 'next'})
    file.close()
    return list(recovery.records), recovery.corrupt_bytes


def test_each_line_is_json() -> None:
    assert [json.loads(line)['record'] for line in DATA.splitlines()] == RECORDS


def test_truncation_at_every_byte_keeps_the_whole_records_and_moves_the_rest(
        tmp_path: Path) -> None:
    for size in range(len(DATA) + 1):
        path = tmp_path / f'{size}.jsonl'
        records, corrupt = open_over(path, DATA[:size])
        count = whole_records(size)
        assert records == RECORDS[:count]
        assert corrupt == size - ENDS[count]
        assert path.read_bytes() == DATA[:ENDS[count]] + encode_record({'number': 'next'})
        if corrupt:
            assert Path(f'{path}.corrupt').read_bytes() == DATA[ENDS[count]:size]


def test_a_flip_of_any_bit_of_any_byte_keeps_exactly_the_records_before_it() -> None:
    for index in range(len(DATA)):
        for bit in range(8):
            data = bytearray(DATA)
            data[index] ^= 1 << bit
            records, good_bytes = decode_prefix(bytes(data))
            count = whole_records(index)
            assert (records, good_bytes) == (RECORDS[:count], ENDS[count])


def test_flipped_byte_on_disk_is_moved_away_and_writing_goes_on(tmp_path: Path) -> None:
    for index in range(0, len(DATA), 7):
        data = bytearray(DATA)
        data[index] ^= 0x10
        count = whole_records(index)
        records, corrupt = open_over(tmp_path / f'{index}.jsonl', bytes(data))
        assert (records, corrupt) == (RECORDS[:count], len(DATA) - ENDS[count])


def test_garbage_alone_is_moved_away(tmp_path: Path) -> None:
    assert open_over(tmp_path / 'a.jsonl', os.urandom(5000)) == ([], 5000)


def test_full_disk_refuses_the_record() -> None:
    file = RecordFile(Path('/dev/full'), fsync=False)
    file.open()
    with pytest.raises(OSError, match='No space left'):
        file.append(RECORDS[0])
    file.close()


FILL_UP = '''
import resource, sys
from pathlib import Path
from mem_vla_ros.memory.record_file import RecordFile
resource.setrlimit(resource.RLIMIT_FSIZE, (500, resource.RLIM_INFINITY))
file = RecordFile(Path(sys.argv[1]), fsync=False)
file.open()
written = 0
try:
    while True:
        file.append({'number': written, 'memory': 'x' * 50})
        written += 1
except OSError:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    print(written)
    file.append({'number': written})
'''


def test_file_size_limit_leaves_no_partial_record(tmp_path: Path) -> None:
    path = tmp_path / 'limited.jsonl'
    result = subprocess.run(
        [sys.executable, '-c', FILL_UP, str(path)], capture_output=True, text=True, check=True)
    records, good_bytes = decode_prefix(path.read_bytes())
    assert good_bytes == path.stat().st_size
    assert [record['number'] for record in records] == list(range(int(result.stdout) + 1))
    assert int(result.stdout) >= 2
