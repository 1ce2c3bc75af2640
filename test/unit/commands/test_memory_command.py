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

"""``memvla memory`` and ``memvla label``."""

from dataclasses import replace
import json
from pathlib import Path

import pytest

from mem_vla_ros.cli import main
from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.memory.episode_store import EpisodeStore
from mem_vla_ros.memory.journal import Journal

STATE = HighLevelState(
    episode='', step=3, stamp=75.0, goal='tidy up', previous_subtask='rest', subtask='wipe',
    previous_memory='I saw a cup.', memory='I saw two cups.', memory_version=4, status='ok',
    source='memvla')


@pytest.fixture
def store(tmp_path: Path) -> str:
    store = EpisodeStore(tmp_path / 'episodes.db')
    store.add('1', 'Put the bowls away', 'I placed three bowls in the cabinet.', 1.0)
    store.add('2', 'Make coffee', 'I added two scoops.', 2.0)
    store.close()
    return str(store.path)


@pytest.fixture
def journal(tmp_path: Path) -> tuple[str, str]:
    journal = Journal(tmp_path / 'journal')
    episode = journal.new_episode_id()
    journal.append(replace(STATE, episode=episode, error='\x1b[2J'), now=1.0)
    journal.close()
    return str(journal.folder), episode


def test_list_shows_closed_episodes_newest_first(store: str, capsys) -> None:
    assert main(['memory', 'list', store]) == 0
    output = capsys.readouterr().out
    assert output.index('Make coffee') < output.index('I placed three bowls in the cabinet.')


def test_search_finds_by_words(store: str, capsys) -> None:
    assert main(['memory', 'search', store, 'bowl']) == 0
    output = capsys.readouterr().out
    assert 'Put the bowls away' in output
    assert 'Make coffee' not in output


def test_purge_deletes_all_but_the_newest(store: str, capsys) -> None:
    assert main(['memory', 'purge', store, '--keep', '1']) == 0
    assert capsys.readouterr().out == 'deleted 1 episodes\n'


def test_missing_store_is_refused_and_not_made(tmp_path: Path, capsys) -> None:
    assert main(['memory', 'list', str(tmp_path / 'absent.db')]) == 2
    assert 'No episode store' in capsys.readouterr().err
    assert not (tmp_path / 'absent.db').exists()


def test_journal_lists_its_episodes(journal: tuple[str, str], capsys) -> None:
    assert main(['memory', 'journal', journal[0]]) == 0
    assert capsys.readouterr().out == f'{journal[1]}      1 records  tidy up\n'


@pytest.mark.parametrize('which', ['newest', 'by id'])
def test_journal_shows_changes_of_one_episode(
        journal: tuple[str, str], which: str, capsys) -> None:
    folder, episode = journal
    assert main(['memory', 'journal', folder, episode if which == 'by id' else which]) == 0
    assert capsys.readouterr().out.splitlines() == [
        '   1:15  step 3  ok by memvla  (\\x1b[2J)',
        '    subtask: wipe',
        '    memory 4: I saw [-a cup.-] {+two cups.+}']


def test_journal_without_that_episode_is_refused(journal: tuple[str, str], capsys) -> None:
    assert main(['memory', 'journal', journal[0], '../x']) == 2
    assert "No episode '../x'" in capsys.readouterr().err


def test_label_writes_records_by_rules(tmp_path: Path, capsys) -> None:
    source = tmp_path / 'in.jsonl'
    source.write_text(json.dumps({
        'episode': 'a', 'goal': 'tidy up', 'subtasks': [{'text': 'pick up the cup'}]}))
    assert main(['label', str(source), str(tmp_path / 'out.jsonl')]) == 0
    assert '2 records from 1 episodes' in capsys.readouterr().out
    last = (tmp_path / 'out.jsonl').read_text().splitlines()[-1]
    assert json.loads(last)['next_memory'] == 'I picked up a cup.'


@pytest.mark.parametrize(('arguments', 'message'), [
    (['--backend', 'openai'], 'needs --model'),
    (['--backend', 'openai', '--model', 'm'], 'base_url must be'),
    ([], 'cannot be read')])
def test_label_refuses_what_it_cannot_do(
        tmp_path: Path, arguments: list[str], message: str, capsys) -> None:
    source, target = str(tmp_path / 'absent.jsonl'), str(tmp_path / 'out.jsonl')
    assert main(['label', source, target, *arguments]) == 2
    assert message in capsys.readouterr().err
