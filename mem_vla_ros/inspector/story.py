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

"""Goal, subtasks and memory versions of the episodes, marked on the timeline as they change."""

from collections import Counter

from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.inspector.timeline import one_line, Timeline
from mem_vla_ros.memory.naive_memory import SEPARATOR
from mem_vla_ros.memory.word_diff import diff_words

FAILURES = ('malformed', 'oversized', 'failed')


class Story:
    """
    What the high-level policy decided, reduced to its changes.

    A subtask that begins again within an episode counts as another attempt. Beside the memory
    stands how long the naive one, all subtasks in a row, would be.
    """

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._has_states = False
        self._episode = ''
        self._goal_of_states = ''
        self._attempts: Counter[str] = Counter()
        self._naive_chars = 0

    def take_goal(self, time: float, text: str) -> None:
        """Take a goal from its topic."""
        last, text = self._timeline.at('goal'), one_line(text)
        if (last.data['text'] if last else '') != text:
            self._timeline.add(time, 'goal', text=text)

    def take_subtask(self, time: float, text: str) -> None:
        """Take a subtask from its topic: needed only until the first state tells more."""
        if not self._has_states:
            self._begin_subtask(time, text)

    def take_memory(self, time: float, text: str) -> None:
        """Take a memory from its topic: needed only until the first state tells more."""
        if not self._has_states:
            self._remember(time, text, 0, 'ok', 'topic')

    def take_state(self, time: float, state: HighLevelState) -> None:
        """Take one step of the high-level policy."""
        self._has_states = True
        if state.episode != self._episode:
            self._enter_episode(time, state.episode)
        if state.goal != self._goal_of_states:
            # A step that began before the newest goal came still tells of the old one.
            self._goal_of_states = state.goal
            self.take_goal(time, state.goal)
        self._begin_subtask(time, state.subtask)
        self._remember(time, state.memory, state.memory_version, state.status, state.source)
        if state.error or state.status in FAILURES:
            self._timeline.add_incident(
                time, 'high level', 'warn', f'{state.status}: {state.error}'.rstrip(': '))

    def _enter_episode(self, time: float, episode: str) -> None:
        self._episode = episode
        self._attempts.clear()
        self._naive_chars = 0
        self._timeline.add(time, 'episode', text=one_line(episode))

    def _begin_subtask(self, time: float, text: str) -> None:
        last, text = self._timeline.at('subtask'), one_line(text)
        if last is None and not text:
            return
        if last is not None and (last.data['text'], last.data['episode']) == (text, self._episode):
            return
        if text:
            self._attempts[text] += 1
            self._naive_chars += len(text) + (len(SEPARATOR) if self._naive_chars else 0)
        self._timeline.add(
            time, 'subtask', text=text, attempt=self._attempts[text], episode=self._episode,
            naive_chars=self._naive_chars)

    def _remember(
        self, time: float, text: str, version: int, status: str, source: str,
    ) -> None:
        last = self._timeline.at('memory')
        before, text = (last.data['text'] if last else ''), one_line(text)
        if before == text:
            return
        self._timeline.add(
            time, 'memory', text=text, version=version, status=one_line(status),
            source=one_line(source), naive_chars=self._naive_chars,
            changes=[(run.kind, run.text) for run in diff_words(before, text)])
