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
What the robot remembers, as lines of text that appear as they change.

Made for a terminal that several processes share; nothing is drawn over. The full view for a
terminal of its own is in ``live_terminal.py``.
"""

from collections.abc import Callable

from rich.console import Console
from rich.text import Text

from mem_vla_ros.inspector.recorder import Recorder
from mem_vla_ros.inspector.timeline import Mark
from mem_vla_ros.memory.word_diff import ADDED, REMOVED

STYLE_OF_CHANGE = {ADDED: 'bold green', REMOVED: 'strike red'}
STYLE_OF_LEVEL = {
    'OK': 'green', 'WARN': 'yellow', 'HOLD': 'bold yellow', 'STOP': 'bold red',
    'FAULT': 'bold white on red', 'ok': 'green', 'warn': 'yellow', 'error': 'red',
    'stale': 'red'}


class TerminalView:
    """
    Prints one line for every mark of the recorder that has not been printed yet.

    :param calm: Leave out warnings, which come and go on a busy machine.
    """

    def __init__(
        self, recorder: Recorder, console: Console | None = None, calm: bool = False,
    ) -> None:
        self._recorder = recorder
        self._calm = calm
        self._console = console or Console(markup=False, highlight=False, emoji=False)
        self._next_mark = 0
        self._is_stopped = False

    def refresh(self) -> None:
        """Print what is new."""
        for mark in self._recorder.timeline.since(self._next_mark):
            self._next_mark = mark.number + 1
            line = line_of(mark, self._recorder.start)
            if line is not None and self._is_worth_a_line(mark):
                self._console.print(line, soft_wrap=True)


    def _is_worth_a_line(self, mark: Mark) -> bool:
        if not self._calm:
            return True
        if mark.kind == 'incident':
            return mark.data['level'] in ('error', 'stale')
        if mark.kind != 'gate':
            return True
        was_stopped, self._is_stopped = (
            self._is_stopped, mark.data['level'] not in ('OK', 'WARN'))
        return was_stopped or self._is_stopped


def line_of(mark: Mark, start: float) -> Text | None:
    """Return the line for a mark; None for a kind that has no line."""
    describe = _DESCRIPTIONS.get(mark.kind)
    if describe is None:
        return None
    line = Text(f'{clock(mark.time - start)} ', style='dim')
    return line.append_text(Text(f'{mark.kind:<9}', style='bold cyan')).append_text(describe(mark))


def memory_text(mark: Mark) -> Text:
    """Return the memory with added and removed words marked."""
    if not mark.data['text']:
        return Text('(empty)', style='dim')
    words = Text(style='none')
    for kind, run in mark.data['changes']:
        words.append(run if kind != REMOVED else f'[-{run}-]',
                     STYLE_OF_CHANGE.get(kind)).append(' ')
    words.rstrip()
    return words


def clock(seconds: float) -> str:
    """Return h:mm:ss."""
    whole = max(0, int(seconds))
    return f'{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}'


def _plain(mark: Mark) -> Text:
    return Text(mark.data['text'], style='none')


def _subtask(mark: Mark) -> Text:
    line = Text(mark.data['text'] or '(none)', style='bold')
    if mark.data['attempt'] > 1:
        line.append(f'  (attempt {mark.data["attempt"]})', 'yellow')
    return line


def _memory(mark: Mark) -> Text:
    size = f'  ({len(mark.data["text"])} characters, naive {mark.data["naive_chars"]})'
    return memory_text(mark).append(size, 'dim')


def _gate(mark: Mark) -> Text:
    level = mark.data['level']
    line = Text(level, style=STYLE_OF_LEVEL.get(level, 'bold'))
    return line.append(f'  {mark.data["reason"]}', 'none') if mark.data['reason'] else line


def _hold(mark: Mark) -> Text:
    return Text('held by the operator' if mark.data['on'] else 'released', style='bold yellow')


def _incident(mark: Mark) -> Text:
    style = STYLE_OF_LEVEL.get(mark.data['level'], 'yellow')
    return Text(f'{mark.data["where"]}: {mark.data["text"]}', style=style)


def _edit(mark: Mark) -> Text:
    return Text(f'{mark.data["action"]} {mark.data["text"]}'.strip(), style='bold magenta')


_DESCRIPTIONS: dict[str, Callable[[Mark], Text]] = {
    'goal': _plain, 'subtask': _subtask, 'memory': _memory, 'score': _plain,
    'episode': _plain, 'gate': _gate, 'hold': _hold, 'incident': _incident, 'edit': _edit}
