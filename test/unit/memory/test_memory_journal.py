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

"""Journal of the language memory: restore, kill -9, disks that refuse."""

from dataclasses import replace
from pathlib import Path
import random
import signal
import subprocess
import sys

import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.memory.journal import Journal, list_episodes, read_episode
from mem_vla_ros.memory.record_file import encode_record

STATE = HighLevelState(
    episode='', step=0, stamp=1.5, goal='clean the kitchen', previous_subtask='',
    subtask='pick up the bowl', previous_memory='', memory='', memory_version=0, status='ok',
    source='memvla')


def write_episode(journal: Journal, count: int) -> str:
    episode = journal.new_episode_id()
    for step in range(count):
        state = replace(STATE, episode=episode, step=step, memory=f'm{step}')
        journal.append(state, now=float(step))
    return episode


def test_newest_episode_is_restored_whole(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    write_episode(journal, 2)
    newest = write_episode(journal, 3)
    journal.close()
    records = Journal(tmp_path).restore()
    assert [record.state.memory for record in records] == ['m0', 'm1', 'm2']
    assert records[0].state == replace(STATE, episode=newest, memory='m0')


def test_writing_goes_on_in_the_restored_episode(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    episode = write_episode(journal, 2)
    journal.close()
    journal = Journal(tmp_path)
    journal.restore()
    journal.append(replace(STATE, episode=episode, step=9), now=9.0)
    assert [record.number for record in read_episode(tmp_path, episode)] == [0, 1, 2]


def test_episode_ids_sort_by_age_past_any_restart(tmp_path: Path) -> None:
    ids = []
    for _ in range(3):
        journal = Journal(tmp_path)
        ids.append(write_episode(journal, 1))
        journal.close()
    assert ids == sorted(ids) == list_episodes(tmp_path)


def test_torn_tail_is_reported_and_the_prefix_restored(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    episode = write_episode(journal, 2)
    journal.close()
    path = tmp_path / f'{episode}.jsonl'
    path.write_bytes(path.read_bytes()[:-5])
    journal = Journal(tmp_path)
    assert [record.number for record in journal.restore()] == [0]
    assert journal.corrupt_bytes == (tmp_path / f'{episode}.jsonl.corrupt').stat().st_size > 0


def test_valid_line_that_is_no_journal_record_ends_the_prefix(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    episode = write_episode(journal, 1)
    journal.close()
    with open(tmp_path / f'{episode}.jsonl', 'ab') as file:
        file.write(encode_record({'number': 1, 'time': 0.0, 'state': {'episode': episode}}))
    journal = Journal(tmp_path)
    assert len(journal.restore()) == 1
    journal.append(replace(STATE, episode=episode, step=1), now=2.0)
    assert [record.time for record in read_episode(tmp_path, episode)] == [0.0, 2.0]


def test_second_writer_is_refused(tmp_path: Path) -> None:
    first = Journal(tmp_path)
    with pytest.raises(ConfigError, match='in use by another process'):
        Journal(tmp_path)
    first.close()
    Journal(tmp_path).close()


def test_refusing_disk_keeps_records_in_ram_and_writes_them_later(tmp_path: Path) -> None:
    folder = tmp_path / 'journal'
    folder.write_text('a file where the folder should be')
    journal = Journal(folder, fsync=False)
    episode = write_episode(journal, 2)
    assert journal.pending == 2
    assert 'kept in RAM' in journal.fault
    folder.unlink()
    assert journal.retry()
    assert (journal.pending, journal.fault) == (0, '')
    assert len(read_episode(folder, episode)) == 2


def test_full_disk_keeps_records_in_ram_and_writes_them_later(tmp_path: Path) -> None:
    journal = Journal(tmp_path, fsync=False)
    episode = journal.new_episode_id()
    path = tmp_path / f'{episode}.jsonl'
    path.symlink_to('/dev/full')
    assert not journal.append(replace(STATE, episode=episode), now=0.0)
    assert 'No space left' in journal.fault
    path.unlink()
    assert journal.append(replace(STATE, episode=episode, step=1), now=1.0)
    assert [record.state.step for record in read_episode(tmp_path, episode)] == [0, 1]


def test_episode_name_cannot_leave_the_folder(tmp_path: Path) -> None:
    (tmp_path / 'outside.jsonl').write_text('')
    with pytest.raises(ConfigError, match='No episode'):
        read_episode(tmp_path / 'journal', '../outside')


WRITER = '''
import sys
from dataclasses import replace
from pathlib import Path
from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.memory.journal import Journal
journal = Journal(Path(sys.argv[1]), fsync=False)
records = journal.restore()
step = len(records)
episode = records[-1].state.episode if records else journal.new_episode_id()
print(episode, step, flush=True)
while True:
    journal.append(HighLevelState(
        episode=episode, step=step, stamp=0.0, goal='g', previous_subtask='', subtask='s',
        previous_memory='', memory='x' * 700, memory_version=step, status='ok',
        source='memvla'), now=0.0)
    step += 1
    print(step, flush=True)
'''


def kill_at_a_random_moment(folder: Path, moment: int) -> tuple[str, int, int]:
    """Return the writer's episode, the step it began with, and the last one it confirmed."""
    with subprocess.Popen(
            [sys.executable, '-c', WRITER, str(folder)], stdout=subprocess.PIPE,
            text=True) as writer:
        episode, begun = writer.stdout.readline().split()
        for _ in range(moment):
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        confirmed = [int(line) for line in writer.stdout if line.endswith('\n')]
    return episode, int(begun), (confirmed or [int(begun) + moment])[-1]


def test_kill_at_twenty_random_moments_loses_nothing_before_the_kill(tmp_path: Path) -> None:
    moments = random.Random(5)
    written, episodes = 0, set()
    for _ in range(20):
        episode, begun, confirmed = kill_at_a_random_moment(tmp_path, moments.randint(1, 50))
        assert begun >= written
        episodes.add(episode)
        written = confirmed
        assert len(read_episode(tmp_path, episode)) >= confirmed
    assert len(episodes) == 1
