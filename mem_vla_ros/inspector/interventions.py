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

"""What a person may do to the robot from the page, each step noted and undoable."""

from collections import deque
from collections.abc import Callable
import threading

from mem_vla_ros.core.errors import MemVlaError
from mem_vla_ros.core.text import clean_line, MAX_GOAL_CHARS, MAX_MEMORY_CHARS
from mem_vla_ros.inspector.recorder import Recorder

SET_GOAL = 'set_goal'
SET_MEMORY = 'set_memory'
ROLL_BACK = 'roll_back'
HOLD = 'hold'
RESUME = 'resume'
RESET = 'reset'
UNDO = 'undo'
ACTIONS = (SET_GOAL, SET_MEMORY, ROLL_BACK, HOLD, RESUME, RESET, UNDO)
MAX_UNDO = 50


class InterventionRefused(MemVlaError):  # noqa: N818
    """Somebody asked for something that can't be done."""


class Interventions:
    """
    Carries out actions, notes them in the recorder and remembers how to undo them.

    :param perform: Does ``set_goal``, ``set_memory``, ``hold``, ``resume`` or ``reset`` with a
        text; raises MemVlaError if the robot did not take it.
    :param clock: Returns the time that the recorder is told.
    """

    def __init__(
        self, recorder: Recorder, perform: Callable[[str, str], None],
        clock: Callable[[], float],
    ) -> None:
        self._recorder = recorder
        self._perform = perform
        self._clock = clock
        self._undo: deque[tuple[str, str]] = deque(maxlen=MAX_UNDO)
        self._lock = threading.Lock()

    def act(self, action: str, text: str = '') -> str:
        """
        Carry out one action and return what was done.

        :param text: The goal or memory; for ``roll_back`` the number of the memory's mark.
        :raises MemVlaError: if it is refused; then nothing was done.
        """
        with self._lock:
            is_undo = action == UNDO
            if is_undo:
                if not self._undo:
                    raise InterventionRefused('There is nothing to undo.')
                action, text = self._undo[-1]
            action, text = self._resolve(action, text)
            inverse = self._inverse(action)
            self._perform(action, text)
            if is_undo:
                self._undo.pop()
            else:
                self._undo.append(inverse)
            self._recorder.edit(self._clock(), f'{UNDO}: {action}' if is_undo else action, text)
            return f'{action} {text}'.strip()

    def _resolve(self, action: str, text: str) -> tuple[str, str]:
        if action == SET_GOAL:
            return action, clean_line(text, 'goal', MAX_GOAL_CHARS)
        if action == SET_MEMORY:
            return action, clean_line(text, 'memory', MAX_MEMORY_CHARS, allow_empty=True)
        if action == ROLL_BACK:
            return SET_MEMORY, self._old_memory(text)
        if action in (HOLD, RESUME, RESET):
            return action, ''
        raise InterventionRefused(f'Unknown action {action[:40]!r}. Known: {list(ACTIONS)}.')

    def _old_memory(self, number: str) -> str:
        for mark in self._recorder.timeline.of('memory'):
            if str(mark.number) == number:
                old: str = mark.data['text']
                return old
        raise InterventionRefused(f'There is no memory version {number[:20]!r}.')

    def _inverse(self, action: str) -> tuple[str, str]:
        """Return what undoes the action; a reset gives the memory back, not the episode."""
        if action == HOLD:
            return RESUME, ''
        if action == RESUME:
            return HOLD, ''
        kind, inverse = ('goal', SET_GOAL) if action == SET_GOAL else ('memory', SET_MEMORY)
        last = self._recorder.timeline.at(kind)
        return inverse, last.data['text'] if last else ''
