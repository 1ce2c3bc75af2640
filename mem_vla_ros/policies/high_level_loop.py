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
The high-level policy around its model: goal, episode, memory, and when to think again.

A worker thread asks ``due`` and calls ``step``; every other thread may change the goal, edit the
memory or reset at any time. Whatever the policy answers, memory and subtask are either replaced
whole or left as they were, and a change is in the journal before it is returned.
"""

from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
import secrets
from threading import Lock

from mem_vla_ros.core.errors import TextRejected
from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.core.text import clean_line, escape_unsafe, MAX_GOAL_CHARS
from mem_vla_ros.core.types import Decision, Observation
from mem_vla_ros.memory.episode_store import EpisodeStore
from mem_vla_ros.memory.journal import Journal
from mem_vla_ros.memory.memory_state import MemoryState, MemoryVersion, PERSON
from mem_vla_ros.policies.episode_recall import EpisodeRecall
from mem_vla_ros.policies.high_level_answer import check_decision, MalformedAnswer, OversizedAnswer
from mem_vla_ros.policies.high_level_settings import HighLevelSettings
from mem_vla_ros.policies.interface import HighLevelPolicy
from mem_vla_ros.policies.memory_mode import next_memory, Situation, told_subtask

MAX_ERROR_CHARS = 300
DECISION_STATUSES = ('ok', 'failed', 'malformed', 'oversized')


@dataclass(frozen=True)
class _Job:
    """One question to the policy; stale as soon as ``revision`` has moved on."""

    revision: int
    reset_policy: bool
    situation: Situation


class HighLevelLoop:
    """
    Runs one high-level policy through its episodes.

    Call ``start`` once before anything else.

    :param source: Backend name for the states and the journal, such as ``openai``.
    :param journal: Where changes are kept; None keeps them in RAM only.
    :param store: Memories of closed episodes, recalled for a new goal; None turns that off.
    """

    def __init__(
        self, policy: HighLevelPolicy, source: str, settings: HighLevelSettings | None = None,
        journal: Journal | None = None, store: EpisodeStore | None = None,
    ) -> None:
        self.settings = settings or HighLevelSettings()
        self._policy = policy
        self._source = source
        self._journal = journal
        self._recall = EpisodeRecall(store)
        self._guard = Lock()
        self._journal_guard = Lock()
        self._unwritten: deque[HighLevelState] = deque()
        self._counts: Counter[str] = Counter()
        self._goal = ''
        self._revision = 0
        self._failures_in_row = 0
        self._begin_episode('', 0.0)

    def start(self, now: float, goal: str = '', resume: bool = True) -> HighLevelState:
        """
        Go on with the episode that the journal ends with, or begin a new one.

        :param goal: Goal of a new episode; a resumed one keeps its own. May be empty.
        :param resume: False always begins a new episode.
        :returns: A state with status ``restored`` or ``reset``.
        :raises TextRejected: if the goal is too long.
        """
        goal = clean_line(goal, 'goal', MAX_GOAL_CHARS, allow_empty=True)
        records = self._journal.restore() if self._journal and resume else []
        with self._guard:
            last = records[-1].state if records else None
            if last is not None and last.memory_mode == self.settings.memory_mode:
                self._restore([record.state for record in records])
                state = self._change('restored', 'journal', now)
            else:
                self._goal = goal
                state = self._new_episode(now)
        return self._written(state, now)

    def set_goal(self, text: str, now: float) -> HighLevelState:
        """
        Take a new goal within the running episode; the policy is due at once.

        :returns: A state with status ``goal``; the same goal again changes nothing.
        :raises TextRejected: if it is empty or over the limit; the old goal then stays.
        """
        goal = clean_line(text, 'goal', MAX_GOAL_CHARS)
        with self._guard:
            if goal == self._goal:
                return self._state
            self._goal = goal
            previous = self._memory.text
            source = 'recall' if self._recall_memory(now) else PERSON
            state = self._change('goal', source, now, previous)
        return self._written(state, now)

    def reset(self, now: float) -> HighLevelState:
        """
        End the episode and begin a new one with empty memory and the same goal.

        :returns: A state with status ``reset`` and the new episode id.
        """
        with self._guard:
            self._recall.remember(self._episode, self._goal, self._memory.text, now)
            state = self._new_episode(now)
        return self._written(state, now)

    def edit_memory(self, text: str, now: float) -> HighLevelState:
        """
        Replace the memory by a person's text, which may be empty.

        :returns: A state with status ``edit`` and source ``person``.
        :raises TextRejected: if it is over the budget, or the mode has no memory.
        """
        return self._write_as_person('edit', now, lambda: text)

    def roll_back(self, version: int, now: float) -> HighLevelState:
        """
        Make an older version the memory again, as a new version by a person.

        :returns: A state with status ``rollback`` and source ``person``.
        :raises UnknownVersion: if this episode never had that version.
        """
        return self._write_as_person('rollback', now, lambda: self._memory.version(version).text)

    def subtask_ended(self) -> None:
        """Tell that the running subtask has ended, well or not; the policy is due at once."""
        with self._guard:
            self._ended = True
            self._asked = True

    def ask(self) -> None:
        """Make the policy due at once."""
        with self._guard:
            self._asked = True

    def due(self, now: float) -> bool:
        """Return whether ``step`` should be called; never without a goal."""
        with self._guard:
            if not self._goal:
                return False
            waited = now - self._last_step
            # A clock that jumped back must not silence the policy for as long as the jump.
            return (self._asked or waited < 0
                    or waited >= self.settings.period_after(self._failures_in_row))

    def step(
        self, observation: Observation, now: float, clock: Callable[[], float],
    ) -> HighLevelState | None:
        """
        Ask the policy once; called by one worker thread, takes as long as the policy takes.

        A policy that raises, or answers something malformed or oversized, leaves memory and
        subtask as they were.

        :param clock: Steady clock for the latency [s].
        :returns: A state with status ``ok``, ``failed``, ``malformed`` or ``oversized``; None if
            there is no goal, or if the answer was dropped because episode, goal or memory
            changed meanwhile (the policy is then due at once).
        """
        job = self._begin_job(now)
        if job is None:
            return None
        if self._journal is not None:
            self._journal.retry()
        started = clock()
        status, answer = self._ask_policy(observation, job)
        latency = clock() - started
        with self._guard:
            if job.revision != self._revision:
                self._counts['dropped'] += 1
                return None
            state = self._finish(
                job.situation, status, answer, observation.stamp, latency)
        return self._written(state, now)

    @property
    def state(self) -> HighLevelState:
        """Return the newest state."""
        with self._guard:
            return self._state

    @property
    def versions(self) -> tuple[MemoryVersion, ...]:
        """Return all memory versions of the running episode, oldest first."""
        with self._guard:
            return self._memory.versions

    @property
    def counts(self) -> Mapping[str, int]:
        """Return how often each status came, and ``dropped`` and ``store_faults``."""
        with self._guard:
            return {**self._counts, 'store_faults': self._recall.faults}

    @property
    def failures_in_row(self) -> int:
        """Return how many decisions have failed since the last good one."""
        return self._failures_in_row

    @property
    def warning(self) -> str:
        """Return why the journal cannot be written, or an empty text."""
        return self._journal.fault if self._journal is not None else ''

    @property
    def corrupt_bytes(self) -> int:
        """Return how many bytes of the journal were invalid and moved to ``.corrupt``."""
        return self._journal.corrupt_bytes if self._journal is not None else 0

    def _begin_episode(self, episode: str, now: float) -> None:
        self._memory = MemoryState(self.settings.memory_budget, now)
        self._episode = episode
        self._step = 0
        self._subtask = ''
        self._ended = False
        self._asked = True
        self._reset_policy = True
        self._last_step = now
        self._last_status = ''
        self._state = self._describe('reset', self._source, now)

    def _new_episode(self, now: float) -> HighLevelState:
        if self._journal is not None:
            episode = self._journal.new_episode_id()
        else:
            episode = secrets.token_hex(6)
        self._failures_in_row = 0
        self._begin_episode(episode, now)
        source = 'recall' if self._recall_memory(now) else self._source
        return self._change('reset', source, now, previous_memory='')

    def _restore(self, states: list[HighLevelState]) -> None:
        last = states[-1]
        self._begin_episode(last.episode, last.stamp)
        for state in states:
            self._memory.restore(
                MemoryVersion(state.memory_version, state.memory, state.source, state.stamp))
        self._goal = last.goal
        self._subtask = last.subtask
        self._step = last.step + (last.status in DECISION_STATUSES)

    def _write_as_person(
        self, status: str, now: float, text: Callable[[], str],
    ) -> HighLevelState:
        if self.settings.memory_mode == 'none':
            raise TextRejected("memory cannot be written: memory_mode is 'none'.")
        with self._guard:
            previous = self._memory.text
            self._memory.write(text(), PERSON, now)
            state = self._change(status, PERSON, now, previous)
        return self._written(state, now)

    def _change(
        self, status: str, source: str, stamp: float, previous_memory: str | None = None,
    ) -> HighLevelState:
        """Publish what no policy decided; an answer under way is stale from here on."""
        self._revision += 1
        self._asked = True
        state = self._describe(status, source, stamp)
        if previous_memory is not None:
            state = replace(state, previous_memory=previous_memory)
        return self._publish(state, in_journal=True)

    def _begin_job(self, now: float) -> _Job | None:
        with self._guard:
            if not self._goal:
                return None
            job = _Job(
                self._revision, self._reset_policy,
                Situation(self._memory.text, self._goal, self._subtask, self._ended))
            self._asked = self._ended = self._reset_policy = False
            self._last_step = now
            return job

    def _ask_policy(
        self, observation: Observation, job: _Job,
    ) -> tuple[str, Decision | Exception]:
        asked = job.situation
        try:
            if job.reset_policy:
                self._policy.reset()
            decision = check_decision(
                self._policy.decide(
                    observation, asked.memory, asked.goal,
                    told_subtask(asked.subtask, self.settings.memory_mode)),
                self.settings.memory_budget, asked.memory)
            return 'ok', replace(decision, memory=next_memory(decision, asked, self.settings))
        except MalformedAnswer as error:
            return 'malformed', error
        except OversizedAnswer as error:
            return 'oversized', error
        except Exception as error:
            return 'failed', error

    def _finish(
        self, asked: Situation, status: str, answer: Decision | Exception, stamp: float,
        latency: float,
    ) -> HighLevelState:
        prompt_chars: object = None
        error = ''
        if isinstance(answer, Decision):
            prompt_chars = answer.details.get('prompt_chars')
            self._failures_in_row = 0
            self._memory.write(answer.memory, self._source, stamp)
            self._subtask = answer.subtask
        else:
            error = escape_unsafe(f'{type(answer).__name__}: {answer}')[:MAX_ERROR_CHARS]
            self._failures_in_row += 1
        if not isinstance(prompt_chars, int):
            prompt_chars = len(asked.goal) + len(asked.memory) + len(asked.subtask)
        state = replace(
            self._describe(status, self._source, stamp),
            previous_subtask=asked.subtask, previous_memory=asked.memory, latency_s=latency,
            prompt_chars=prompt_chars, error=error)
        self._step += 1
        changed = (
            state.memory != asked.memory or state.subtask != asked.subtask
            or status != self._last_status)
        self._last_status = status
        return self._publish(state, in_journal=changed)

    def _describe(self, status: str, source: str, stamp: float) -> HighLevelState:
        """Return the state of a moment at which nothing changes."""
        return HighLevelState(
            episode=self._episode, step=self._step, stamp=stamp, goal=self._goal,
            previous_subtask=self._subtask, subtask=self._subtask,
            previous_memory=self._memory.text, memory=self._memory.text,
            memory_version=self._memory.current.number, status=status, source=source,
            memory_mode=self.settings.memory_mode)

    def _publish(self, state: HighLevelState, in_journal: bool) -> HighLevelState:
        self._state = state
        self._counts[state.status] += 1
        if in_journal and self._journal is not None:
            self._unwritten.append(state)
        return state

    def _written(self, state: HighLevelState, now: float) -> HighLevelState:
        """Return the state once it is in the journal; the disk is not waited for in the lock."""
        with self._journal_guard:
            while self._journal is not None and self._unwritten:
                self._journal.append(self._unwritten.popleft(), now)
        return state

    def _recall_memory(self, now: float) -> bool:
        """Begin an empty memory with what closed episodes knew about the goal, if anything."""
        if self.settings.memory_mode != 'language' or self._memory.text:
            return False
        recalled = self._recall.recall(self._goal, self.settings.budget)
        return bool(self._memory.write(recalled, 'recall', now).text)
