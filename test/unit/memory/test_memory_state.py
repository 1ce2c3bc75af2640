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

"""Budget, versions, difference and naive baseline of the language memory."""

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from mem_vla_ros.core.errors import ConfigError, TextRejected
from mem_vla_ros.memory.memory_budget import estimate_tokens, MemoryBudget
from mem_vla_ros.memory.memory_state import MemoryState, MemoryVersion, UnknownVersion
from mem_vla_ros.memory.naive_memory import NaiveMemory
from mem_vla_ros.memory.word_diff import ADDED, diff_words, format_diff, KEPT, REMOVED


@pytest.fixture
def memory() -> MemoryState:
    return MemoryState(MemoryBudget(max_chars=100, max_tokens=20))


def test_memory_starts_empty_at_version_zero(memory: MemoryState) -> None:
    assert memory.current == MemoryVersion(0, '', 'start', 0.0)


def test_each_change_makes_one_version(memory: MemoryState) -> None:
    memory.write('I picked up a bowl.', 'memvla', 1.0)
    memory.write('I placed a bowl in the sink.', 'memvla', 2.0)
    assert [version.number for version in memory.versions] == [0, 1, 2]


def test_unchanged_text_makes_no_version(memory: MemoryState) -> None:
    memory.write('I picked up a bowl.', 'memvla', 1.0)
    memory.write('I picked up a bowl. ', 'memvla', 2.0)
    assert memory.current.number == 1


def test_text_over_the_character_budget_leaves_the_memory(memory: MemoryState) -> None:
    memory.write('kept', 'memvla', 1.0)
    with pytest.raises(TextRejected, match='got 101 characters, allowed 100'):
        memory.write('x' * 101, 'memvla', 2.0)
    assert memory.text == 'kept'


def test_text_over_the_token_budget_leaves_the_memory(memory: MemoryState) -> None:
    memory.write('kept', 'memvla', 1.0)
    with pytest.raises(TextRejected, match='got 21 tokens, allowed 20'):
        memory.write('a ' * 21, 'memvla', 2.0)
    assert memory.text == 'kept'


def test_roll_back_makes_a_new_version_by_a_person(memory: MemoryState) -> None:
    memory.write('one', 'memvla', 1.0)
    memory.write('two', 'memvla', 2.0)
    version = memory.roll_back(1, 3.0)
    assert (version.number, version.text, version.by_person) == (3, 'one', True)
    assert not memory.version(2).by_person


def test_roll_back_to_a_version_that_never_was_is_refused(memory: MemoryState) -> None:
    with pytest.raises(UnknownVersion, match='no version 7. Known: 0 to 0'):
        memory.roll_back(7, 1.0)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_hostile_text_is_refused_or_harmless(text: str) -> None:
    memory = MemoryState(MemoryBudget(max_chars=200, max_tokens=60))
    try:
        memory.write(text, 'memvla', 1.0)
    except TextRejected:
        assert memory.text == ''
        return
    assert not any(unicodedata.category(character)[0] == 'C' for character in memory.text)
    assert len(memory.text) <= 200


@pytest.mark.parametrize('steering', ['\x1b[2J', '\u202e', '\x00', '\u2066', '\x9b31m', '\ud800'])
def test_steering_characters_are_escaped(memory: MemoryState, steering: str) -> None:
    assert steering not in memory.write(f'a{steering}b', 'memvla', 1.0).text


def test_long_words_count_as_several_tokens() -> None:
    assert estimate_tokens('I placed two countertops.') == 1 + 1 + 1 + 2 + 1


def test_budget_without_room_is_refused() -> None:
    with pytest.raises(ConfigError, match='max_chars must be 1 to 2000. Got 0'):
        MemoryBudget(max_chars=0)


def test_difference_names_added_and_removed_words() -> None:
    runs = diff_words('I picked up a bowl.', 'I placed a bowl.')
    assert [(run.kind, run.text) for run in runs] == [
        (KEPT, 'I'), (REMOVED, 'picked up'), (ADDED, 'placed'), (KEPT, 'a bowl.')]


def test_difference_reads_on_one_line_and_leaves_punctuation_alone() -> None:
    assert format_diff('I saw a cup.', 'I saw a cup, and left.') == 'I saw a cup, {+and left.+}'


@given(st.text('ab ,.', max_size=40), st.text('ab ,.', max_size=40))
def test_difference_rebuilds_both_texts(old: str, new: str) -> None:
    runs = diff_words(old, new)
    assert ' '.join(run.text for run in runs if run.kind != REMOVED).split() == new.split()
    rebuilt = ' '.join(run.text for run in runs if run.kind != ADDED).split()
    assert [word.rstrip('.,') for word in rebuilt] == [word.rstrip('.,') for word in old.split()]


def test_naive_memory_repeats_failed_attempts() -> None:
    naive, text = NaiveMemory(200), ''
    for subtask in ('pick up bowl', 'pick up bowl', 'place bowl in cabinet'):
        text = naive.append(text, subtask)
    assert text == 'pick up bowl; pick up bowl; place bowl in cabinet'


def test_naive_memory_drops_its_oldest_subtasks_past_the_cut() -> None:
    assert NaiveMemory(20).append('wipe the table; go on', 'pick up cup') == 'go on; pick up cup'


def test_naive_memory_cuts_a_subtask_that_is_longer_than_itself() -> None:
    assert NaiveMemory(4).append('', 'pick up') == 'k up'
