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

"""Loop around the high-level policy: bad answers, edits, episodes, restarts."""

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError, PolicyError, TextRejected
from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.core.types import Decision, JointStack, Observation
from mem_vla_ros.memory.episode_store import EpisodeStore
from mem_vla_ros.memory.journal import Journal, list_episodes, read_episode
from mem_vla_ros.memory.memory_budget import MemoryBudget
from mem_vla_ros.memory.memory_state import UnknownVersion
from mem_vla_ros.policies.high_level_answer import MalformedAnswer, OversizedAnswer
from mem_vla_ros.policies.high_level_loop import HighLevelLoop
from mem_vla_ros.policies.high_level_settings import HighLevelSettings

GOOD = Decision('pick up the bowl', 'I moved to the counter.')


class AnswerList:
    """A policy that gives the listed answers, raising those that are exceptions."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str, str]] = []
        self.resets = 0

    def decide(self, observation: Observation, memory: str, goal: str, subtask: str) -> Any:
        self.asked.append((memory, goal, subtask))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def reset(self) -> None:
        self.resets += 1


def observe(stamp: float) -> Observation:
    joints = JointStack(np.zeros((1, 7)), np.array([stamp]), np.array([True]))
    return Observation(stamp, {}, joints)


def make_loop(*answers: Any, goal: str = 'clean up', **fields: Any) -> HighLevelLoop:
    loop = HighLevelLoop(AnswerList(*answers), 'fake', HighLevelSettings(**fields))
    loop.start(0.0, goal)
    return loop


def step(loop: HighLevelLoop, now: float = 1.0) -> HighLevelState:
    state = loop.step(observe(now), now, lambda: now)
    assert state is not None
    return state


def test_good_answer_becomes_subtask_and_memory() -> None:
    state = step(make_loop(GOOD))
    assert (state.subtask, state.memory) == (GOOD.subtask, GOOD.memory)
    assert (state.status, state.memory_version, state.source) == ('ok', 1, 'fake')


BAD_ANSWERS = [
    ('failed', PolicyError('no answer')),
    ('failed', ValueError('a bug')),
    ('malformed', MalformedAnswer('not two lines')),
    ('malformed', None),
    ('malformed', 'a text'),
    ('malformed', Decision('', 'm')),
    ('malformed', Decision('  \n', 'm')),
    ('malformed', Decision(None, 'm')),  # type: ignore[arg-type]
    ('malformed', Decision('s', b'm')),  # type: ignore[arg-type]
    ('malformed', Decision('s', 'm', details=None)),  # type: ignore[arg-type]
    ('oversized', OversizedAnswer('10 MB')),
    ('oversized', Decision('s' * 201, 'm')),
    ('oversized', Decision('s', 'm' * 801)),
    ('oversized', Decision('s', 'm ' * 201)),
    ('oversized', Decision('s', '\x1b' * 300)),
]


@pytest.mark.parametrize(('status', 'answer'), BAD_ANSWERS)
def test_bad_answer_keeps_memory_and_subtask_and_is_counted(status: str, answer: Any) -> None:
    loop = make_loop(GOOD, answer)
    before = step(loop)
    state = step(loop, 2.0)
    assert (state.status, state.subtask, state.memory) == (status, before.subtask, before.memory)
    assert state.memory_version == before.memory_version
    assert state.error
    assert loop.counts[status] == 1
    assert loop.failures_in_row == 1


def test_error_text_is_escaped_and_short() -> None:
    state = step(make_loop(PolicyError('\x1b[2J' + 'x' * 1000)))
    assert '\x1b' not in state.error
    assert len(state.error) == 300


def test_policy_gets_its_own_memory_back() -> None:
    loop = make_loop(GOOD, GOOD)
    step(loop)
    step(loop, 2.0)
    assert loop._policy.asked == [('', 'clean up', ''), (GOOD.memory, 'clean up', GOOD.subtask)]


def test_memory_stays_while_a_subtask_is_retried() -> None:
    loop = make_loop(GOOD, Decision(GOOD.subtask, 'I failed once.'))
    step(loop)
    assert step(loop, 2.0).memory == GOOD.memory


@pytest.mark.parametrize('details', [{}, {'subtask_done': True}])
def test_memory_changes_when_the_same_subtask_has_ended(details: dict) -> None:
    loop = make_loop(GOOD, Decision(GOOD.subtask, 'I picked up one bowl.', details))
    step(loop)
    if not details:
        loop.subtask_ended()
    assert step(loop, 2.0).memory == 'I picked up one bowl.'


def test_policy_that_counts_may_rewrite_its_memory_on_the_same_subtask() -> None:
    loop = make_loop(
        GOOD, Decision(GOOD.subtask, 'I added two scoops.'), retry_keeps_memory=False)
    step(loop)
    assert step(loop, 2.0).memory == 'I added two scoops.'


def test_loop_is_due_once_a_period() -> None:
    loop = make_loop(GOOD)
    assert loop.due(0.0)
    step(loop, 1.0)
    assert not loop.due(1.9)
    assert loop.due(2.0)


def test_loop_is_never_due_without_a_goal() -> None:
    loop = make_loop(GOOD, goal='')
    assert not loop.due(100.0)
    assert loop.step(observe(1.0), 1.0, float) is None


@pytest.mark.parametrize('event', [
    lambda loop: loop.subtask_ended(),
    lambda loop: loop.ask(),
    lambda loop: loop.set_goal('another goal', 1.1),
    lambda loop: loop.edit_memory('by hand', 1.1),
    lambda loop: loop.reset(1.1),
])
def test_events_make_the_loop_due_at_once(event: Callable[[HighLevelLoop], Any]) -> None:
    loop = make_loop(GOOD)
    step(loop, 1.0)
    event(loop)
    assert loop.due(1.1)


def test_failures_in_a_row_slow_the_loop_down_to_a_limit() -> None:
    loop = make_loop(*[PolicyError('down')] * 9)
    waits = []
    now = 0.0
    for _ in range(9):
        step(loop, now)
        start = now
        while not loop.due(now):
            now += 0.5
        waits.append(now - start)
    assert waits == [2.0, 4.0, 8.0, 16.0] + [30.0] * 5


def test_clock_that_jumps_back_does_not_silence_the_loop() -> None:
    loop = make_loop(GOOD)
    step(loop, 1000.0)
    assert loop.due(5.0)


def test_reset_begins_an_empty_episode_with_the_same_goal() -> None:
    loop = make_loop(GOOD, GOOD)
    before = step(loop)
    state = loop.reset(2.0)
    assert state.episode != before.episode
    assert (state.status, state.goal, state.memory, state.subtask, state.step) == (
        'reset', 'clean up', '', '', 0)
    step(loop, 3.0)
    assert loop._policy.resets == 2


def test_goal_change_keeps_episode_and_memory() -> None:
    loop = make_loop(GOOD)
    before = step(loop)
    state = loop.set_goal('wash up', 2.0)
    assert (state.status, state.goal) == ('goal', 'wash up')
    assert (state.episode, state.memory) == (before.episode, before.memory)


@pytest.mark.parametrize('text', ['', '   ', 'g' * 2001, 'g' * 10_000_000])
def test_goal_outside_the_limit_is_refused_and_the_old_one_stays(text: str) -> None:
    loop = make_loop()
    with pytest.raises(TextRejected, match='2000'):
        loop.set_goal(text, 1.0)
    assert loop.state.goal == 'clean up'


def test_longest_goal_is_taken_whole() -> None:
    assert make_loop().set_goal('g' * 2000, 1.0).goal == 'g' * 2000


def test_edit_is_marked_as_a_persons() -> None:
    loop = make_loop(GOOD)
    step(loop)
    state = loop.edit_memory('The bowl is in the \x1bsink.', 2.0)
    assert (state.status, state.source, state.memory) == (
        'edit', 'person', 'The bowl is in the \\x1bsink.')
    assert state.previous_memory == GOOD.memory
    assert [version.by_person for version in loop.versions] == [False, False, True]


def test_edit_over_the_budget_is_refused() -> None:
    loop = make_loop(GOOD)
    step(loop)
    with pytest.raises(TextRejected):
        loop.edit_memory('m' * 801, 2.0)
    assert loop.state.memory == GOOD.memory


def test_roll_back_brings_an_old_version_back() -> None:
    loop = make_loop(GOOD, Decision('wipe', 'second'))
    step(loop)
    step(loop, 2.0)
    state = loop.roll_back(1, 3.0)
    assert (state.status, state.memory, state.memory_version) == ('rollback', GOOD.memory, 3)
    with pytest.raises(UnknownVersion):
        loop.roll_back(99, 4.0)


@pytest.mark.parametrize('change', [
    lambda loop: loop.reset(1.5),
    lambda loop: loop.edit_memory('by hand', 1.5),
    lambda loop: loop.set_goal('another goal', 1.5),
])
def test_answer_to_an_old_question_is_dropped(change: Callable[[HighLevelLoop], Any]) -> None:
    asked, answer = Event(), Event()

    class SlowPolicy(AnswerList):
        def decide(self, *args: Any) -> Decision:
            asked.set()
            assert answer.wait(10.0)
            return GOOD

    loop = HighLevelLoop(SlowPolicy(), 'slow')
    loop.start(0.0, 'clean up')
    states: list[HighLevelState | None] = []
    worker = Thread(target=lambda: states.append(loop.step(observe(1.0), 1.0, float)))
    worker.start()
    assert asked.wait(10.0)
    changed = change(loop)
    answer.set()
    worker.join()
    assert states == [None]
    assert loop.state == changed
    assert loop.counts['dropped'] == 1
    assert loop.due(1.5)


def test_naive_memory_lists_past_subtasks_with_failed_attempts() -> None:
    pick, place = Decision('pick up bowl', 'ignored'), Decision('place bowl', 'ignored')
    loop = make_loop(pick, pick, pick, place, place, memory_mode='naive')
    step(loop, 1.0)
    step(loop, 2.0)
    loop.subtask_ended()
    step(loop, 3.0)
    state = step(loop, 4.0)
    assert state.memory == 'pick up bowl; pick up bowl'
    assert state.memory_mode == 'naive'


def test_naive_memory_that_a_policy_hands_back_is_no_oversized_answer() -> None:
    class Parrot(AnswerList):
        def decide(self, observation: Observation, memory: str, goal: str, subtask: str) -> Any:
            return Decision(f'do thing number {observation.stamp}', memory)

    loop = HighLevelLoop(Parrot(), 'parrot', HighLevelSettings(memory_mode='naive'))
    loop.start(0.0, 'clean up')
    for second in range(200):
        state = step(loop, float(second))
        assert state.status == 'ok'
    assert 1900 < len(state.memory) <= 2000


@pytest.mark.parametrize('mode, told', [('language', GOOD.subtask), ('none', '')])
def test_mode_none_does_not_tell_the_last_subtask(mode: str, told: str) -> None:
    policy = AnswerList(GOOD, GOOD)
    loop = HighLevelLoop(policy, 'fake', HighLevelSettings(memory_mode=mode))
    loop.start(0.0, 'clean up')
    step(loop, 1.0)
    step(loop, 2.0)
    assert policy.asked[1][2] == told


def test_mode_none_never_has_a_memory() -> None:
    loop = make_loop(GOOD, memory_mode='none')
    assert step(loop).memory == ''
    with pytest.raises(TextRejected, match="memory_mode is 'none'"):
        loop.edit_memory('by hand', 2.0)


@pytest.mark.parametrize('fields', [
    {'memory_mode': 'video'}, {'period_s': 0.0}, {'period_s': 60.0}])
def test_bad_settings_are_refused(fields: dict) -> None:
    with pytest.raises(ConfigError):
        HighLevelSettings(**fields)


def test_restart_goes_on_in_the_same_episode(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    loop = HighLevelLoop(AnswerList(GOOD), 'fake', journal=journal)
    loop.start(0.0, 'clean up')
    before = step(loop)
    loop.edit_memory('by hand', 2.0)
    journal.close()
    again = HighLevelLoop(AnswerList(), 'fake', journal=Journal(tmp_path))
    state = again.start(9.0, goal='default goal')
    assert (state.status, state.episode, state.goal) == ('restored', before.episode, 'clean up')
    assert (state.memory, state.subtask, state.step) == ('by hand', GOOD.subtask, 1)
    assert [version.by_person for version in again.versions] == [False, False, True]
    assert again.roll_back(1, 10.0).memory == GOOD.memory


def test_memory_over_a_budget_that_a_restart_made_smaller_may_be_kept(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    loop = HighLevelLoop(AnswerList(GOOD), 'fake', journal=journal)
    loop.start(0.0, 'clean up')
    step(loop)
    journal.close()
    again = HighLevelLoop(
        AnswerList(Decision('wipe', GOOD.memory), Decision('wipe', 'anything')), 'fake',
        HighLevelSettings(budget=MemoryBudget(max_chars=10)), Journal(tmp_path))
    again.start(9.0)
    for now in (10.0, 11.0):
        state = step(again, now)
        assert (state.status, state.subtask, state.memory) == ('ok', 'wipe', GOOD.memory)


def test_restart_without_resume_begins_a_new_episode(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    HighLevelLoop(AnswerList(), 'fake', journal=journal).start(0.0, 'clean up')
    journal.close()
    state = HighLevelLoop(AnswerList(), 'fake', journal=Journal(tmp_path)).start(1.0, 'g', False)
    assert (state.status, state.goal) == ('reset', 'g')
    assert len(list_episodes(tmp_path)) == 2


def test_memory_of_another_mode_is_not_resumed(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    HighLevelLoop(AnswerList(), 'fake', journal=journal).start(0.0, 'clean up')
    journal.close()
    loop = HighLevelLoop(
        AnswerList(), 'fake', HighLevelSettings(memory_mode='naive'), Journal(tmp_path))
    assert loop.start(1.0).status == 'reset'


def test_journal_has_one_record_per_change_not_per_step(tmp_path: Path) -> None:
    down = PolicyError('down')
    loop = HighLevelLoop(
        AnswerList(GOOD, GOOD, down, down, GOOD), 'fake', journal=Journal(tmp_path))
    episode = loop.start(0.0, 'clean up').episode
    for now in range(1, 6):
        step(loop, float(now))
    statuses = [record.state.status for record in read_episode(tmp_path, episode)]
    assert statuses == ['reset', 'ok', 'failed', 'ok']


def test_torn_journal_is_reported_and_its_valid_part_resumed(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    loop = HighLevelLoop(AnswerList(GOOD), 'fake', journal=journal)
    episode = loop.start(0.0, 'clean up').episode
    step(loop)
    journal.close()
    with open(tmp_path / f'{episode}.jsonl', 'ab') as file:
        file.write(b'{"crc32":"torn')
    again = HighLevelLoop(AnswerList(), 'fake', journal=Journal(tmp_path))
    assert again.start(9.0).memory == GOOD.memory
    assert again.corrupt_bytes == 14


def test_full_disk_is_a_warning_and_the_episode_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / 'journal'
    folder.write_text('a file where the folder should be')
    loop = HighLevelLoop(AnswerList(GOOD, GOOD), 'fake', journal=Journal(folder, fsync=False))
    episode = loop.start(0.0, 'clean up').episode
    assert step(loop).memory == GOOD.memory
    assert 'kept in RAM' in loop.warning
    folder.unlink()
    step(loop, 2.0)
    assert loop.warning == ''
    assert len(read_episode(folder, episode)) == 2


def test_closed_episode_is_recalled_for_a_goal_that_it_fits(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / 'episodes.db')
    memory = 'I placed three bowls in the cabinet.'
    loop = HighLevelLoop(AnswerList(Decision('rest', memory)), 'fake', store=store)
    loop.start(0.0, 'put the bowls away')
    step(loop)
    state = loop.reset(2.0)
    assert (state.memory, state.source) == (f'Earlier: {memory}', 'recall')
    assert loop.versions[-1].source == 'recall'


def test_store_that_fails_is_counted_and_stops_nothing(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / 'episodes.db')
    store.close()
    loop = HighLevelLoop(AnswerList(GOOD), 'fake', store=store)
    loop.start(0.0, 'clean up')
    step(loop)
    assert loop.reset(2.0).memory == ''
    assert loop.counts['store_faults'] == 3


@hypothesis_settings(max_examples=150, deadline=None)
@given(subtask=st.text(max_size=250), memory=st.text(max_size=250))
def test_hostile_answers_change_nothing_but_subtask_and_memory(
        subtask: str, memory: str) -> None:
    settings = HighLevelSettings(budget=MemoryBudget(max_chars=200, max_tokens=80))
    loop = HighLevelLoop(AnswerList(Decision(subtask, memory)), 'fake', settings)
    before = loop.start(0.0, 'clean up')
    state = step(loop)
    assert (state.episode, state.goal, state.memory_mode) == (
        before.episode, before.goal, before.memory_mode)
    assert len(state.memory) <= 200
    assert len(state.subtask) <= 200
    assert HighLevelState.from_json(state.to_json()) == state
    assert loop.settings == settings
