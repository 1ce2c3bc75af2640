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
Journal of the language memory: what a killed node needs to go on in the same episode.

One file of records per episode in one folder, ``000042-9f3a1c.jsonl``: the number grows with
every episode, so the running one is always the newest file. One record per change (memory,
subtask, goal, edit, roll back, or how the policy fails), not per step.

A record is on disk, fsync included, before the change is published. When the disk refuses, the
episode goes on in RAM, ``fault`` says why, and every later call tries again, in order.
"""

from collections import deque
from dataclasses import dataclass
import fcntl
import json
import os
from pathlib import Path
import re
import secrets
from threading import Lock

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.states import HighLevelState, StateRejected
from mem_vla_ros.memory.record_file import decode_prefix, Record, RecordFile

_EPISODE = re.compile(r'\d{6,}-[0-9a-f]{6}')
SUFFIX = '.jsonl'


@dataclass(frozen=True)
class JournalRecord:
    """
    One change of the memory, the subtask or the goal.

    :param number: Counts the records of the episode from 0.
    :param time: The node's clock when it was written [s].
    :param state: What was published: episode, step, stamps, goal, subtask, previous and new
        memory, version, source, latency and status.
    """

    number: int
    time: float
    state: HighLevelState

    def to_record(self) -> Record:
        """Return plain JSON values."""
        return {
            'number': self.number, 'time': self.time, 'state': json.loads(self.state.to_json())}

    @classmethod
    def from_record(cls, record: Record) -> 'JournalRecord':
        """
        Read plain JSON values back.

        :raises KeyError: if a key is missing.
        :raises StateRejected: if the state is not one.
        """
        state = HighLevelState.from_json(json.dumps(record['state']))
        return cls(record['number'], record['time'], state)


class Journal:
    """
    Writes the records of one high-level policy and reads them back.

    :param folder: Made when missing; belongs to one running node at a time.
    :param fsync: See :class:`RecordFile`.
    :raises ConfigError: if another process is writing to the folder.
    """

    def __init__(self, folder: Path, fsync: bool = True) -> None:
        self.folder = folder
        self.fault = ''
        self.corrupt_bytes = 0
        self._fsync = fsync
        self._file: RecordFile | None = None
        self._written = 0
        self._episode = ''
        self._count = 0
        self._newest_number = 0
        self._pending: deque[tuple[str, Record]] = deque()
        self._guard = Lock()
        self._lock_descriptor = -1
        try:
            self._lock_folder()
        except BlockingIOError as error:
            raise ConfigError(
                f'Journal folder {folder} is in use by another process. Each high-level policy '
                'needs a folder of its own.') from error
        except OSError as error:
            self._keep_in_ram(error)

    @property
    def pending(self) -> int:
        """Return how many records wait in RAM for the disk."""
        return len(self._pending)

    def new_episode_id(self) -> str:
        """Return an id that sorts after all episodes in the folder."""
        known = [_number(episode) for episode in list_episodes(self.folder)]
        self._newest_number = max([self._newest_number, *known]) + 1
        return f'{self._newest_number:06d}-{secrets.token_hex(3)}'

    def restore(self) -> list[JournalRecord]:
        """Return the records of the newest episode and repair its file; empty if it has none."""
        episodes = list_episodes(self.folder)
        if not episodes:
            return []
        records = read_episode(self.folder, episodes[-1])
        with self._guard:
            self._episode, self._count = episodes[-1], len(records)
            try:
                self._open(episodes[-1])
            except OSError as error:
                self._keep_in_ram(error)
        return records

    def append(self, state: HighLevelState, now: float) -> bool:
        """
        Write one record; return whether it and all before it are on disk.

        A state of another episode than the last one starts a new file.
        """
        with self._guard:
            if state.episode != self._episode:
                self._episode, self._count = state.episode, 0
            record = JournalRecord(self._count, now, state).to_record()
            self._count += 1
            self._pending.append((state.episode, record))
            return self._flush()

    def retry(self) -> bool:
        """Try again to write what waits in RAM; return whether all records are on disk."""
        with self._guard:
            return self._flush()

    def close(self) -> None:
        """Let go of the folder."""
        with self._guard:
            self._close_file()
            if self._lock_descriptor >= 0:
                os.close(self._lock_descriptor)
                self._lock_descriptor = -1

    def _flush(self) -> bool:
        if not self._pending:
            return True
        try:
            self._lock_folder()
            while self._pending:
                self._write(*self._pending[0])
                self._pending.popleft()
        except OSError as error:
            self._keep_in_ram(error)
            return False
        self.fault = ''
        return True

    def _write(self, episode: str, record: Record) -> None:
        file = self._file
        if file is None or file.path.stem != episode:
            file = self._open(episode)
        # A record whose fsync failed may be whole in the file that was opened again.
        if record['number'] >= self._written:
            file.append(record)
            self._written += 1

    def _open(self, episode: str) -> RecordFile:
        self._close_file()
        file = RecordFile(self.folder / f'{episode}{SUFFIX}', self._fsync, _is_valid)
        recovery = file.open()
        self.corrupt_bytes += recovery.corrupt_bytes
        self._written = len(recovery.records)
        self._file = file
        return file

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _keep_in_ram(self, error: OSError) -> None:
        self.fault = f'journal cannot be written, memory is kept in RAM: {error}'
        self._close_file()

    def _lock_folder(self) -> None:
        if self._lock_descriptor >= 0:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(
            self.folder / '.lock', os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise
        self._lock_descriptor = descriptor


def list_episodes(folder: Path) -> list[str]:
    """Return the ids of the episodes in a journal folder, oldest first."""
    try:
        names = [path.stem for path in folder.iterdir() if path.suffix == SUFFIX]
    except OSError:
        return []
    return sorted((name for name in names if _EPISODE.fullmatch(name)), key=_number)


def read_episode(folder: Path, episode: str) -> list[JournalRecord]:
    """
    Return the valid records of one episode without changing its file.

    :raises ConfigError: if the folder has no such episode.
    """
    path = folder / f'{episode}{SUFFIX}'
    if not _EPISODE.fullmatch(episode) or not path.is_file():
        raise ConfigError(f'No episode {episode!r} in {folder}. Got {list_episodes(folder)[-5:]}.')
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f'Episode {episode!r} cannot be read: {error}') from error
    return [JournalRecord.from_record(record) for record in decode_prefix(data, _is_valid)[0]]


def _is_valid(index: int, record: Record) -> bool:
    try:
        return JournalRecord.from_record(record).number == index
    except (KeyError, StateRejected):
        return False


def _number(episode: str) -> int:
    return int(episode.split('-')[0])
