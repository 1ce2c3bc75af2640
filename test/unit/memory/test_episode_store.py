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

"""Store of closed episodes: recall within the budget, search, purge, damage."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.memory.episode_store import EpisodeStore
from mem_vla_ros.memory.memory_budget import MemoryBudget

BUDGET = MemoryBudget(max_chars=200, max_tokens=60)


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    store = EpisodeStore(tmp_path / 'episodes.db')
    store.add('1', 'Put the bowls away', 'I placed three bowls in the top right cabinet.', 1.0)
    store.add('2', 'Make coffee', 'I added two scoops of coffee to the grinder.', 2.0)
    store.add('3', 'Water the plants', 'I watered the fern by the window.', 3.0)
    return store


def test_recall_finds_the_memory_that_fits_the_goal(store: EpisodeStore) -> None:
    assert store.recall('Get a bowl for the salad', BUDGET) == (
        'Earlier: I placed three bowls in the top right cabinet.')


def test_recall_of_an_unrelated_goal_is_empty(store: EpisodeStore) -> None:
    assert store.recall('Fold the laundry', BUDGET) == ''


def test_recall_takes_at_most_half_of_the_budget(store: EpisodeStore) -> None:
    for number in range(10):
        store.add(f'b{number}', 'bowls', f'I placed bowl {number} under the sink.', 9.0)
    half = MemoryBudget(max_chars=100, max_tokens=30)
    text = store.recall('bowls', BUDGET)
    assert half.fits(text)
    assert text.count('I placed') == 2


def test_recall_of_a_recalled_memory_does_not_nest(store: EpisodeStore) -> None:
    store.add('4', 'Iron shirts', 'Earlier: I ironed one shirt.', 4.0)
    assert store.recall('Iron shirts', BUDGET) == 'Earlier: I ironed one shirt.'


def test_store_survives_a_restart(store: EpisodeStore) -> None:
    store.close()
    again = EpisodeStore(store.path)
    assert [episode.episode for episode in again.newest()] == ['3', '2', '1']


def test_same_episode_again_replaces_it(store: EpisodeStore) -> None:
    store.add('2', 'Make coffee', 'I brewed tea.', 5.0)
    assert store.search('scoops') == []
    assert [episode.memory for episode in store.search('tea')] == ['I brewed tea.']


def test_purge_keeps_the_newest(store: EpisodeStore) -> None:
    assert store.purge(keep=1) == 2
    assert [episode.episode for episode in store.newest()] == ['3']
    assert store.search('bowls') == []


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=60))
def test_no_text_is_read_as_a_query_operator(tmp_path_factory, text: str) -> None:
    store = EpisodeStore(tmp_path_factory.mktemp('store') / 'a.db')
    store.add('1', text, text, 1.0)
    store.search(text)
    assert len(store.newest()) == 1
    store.close()


@pytest.mark.parametrize('text', ['bowls" OR 1', 'NEAR(a b)', 'goal:bowls*', '-bowls ^', "';--"])
def test_search_operators_are_words(store: EpisodeStore, text: str) -> None:
    assert len(store.search(text)) <= 1
    assert len(store.newest()) == 3


def test_file_that_is_no_database_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / 'episodes.db'
    path.write_bytes(b'not a database' * 100)
    store = EpisodeStore(path)
    assert store.recovered
    assert Path(f'{path}.corrupt').exists()
    assert store.newest() == []


def test_path_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('')
    with pytest.raises(ConfigError, match='cannot be opened'):
        EpisodeStore(tmp_path / 'file' / 'episodes.db')
