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

"""What the robot remembers, as a full view that redraws itself, for a terminal of its own."""

from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from mem_vla_ros.inspector.moment import moment
from mem_vla_ros.inspector.recorder import Recorder
from mem_vla_ros.inspector.terminal import clock, line_of, memory_text, STYLE_OF_LEVEL

EVENTS = 8


class LiveTerminalView:
    """The essentials of the page over ssh; everything from the robot is shown as plain text."""

    def __init__(self, recorder: Recorder, console: Console | None = None) -> None:
        self._recorder = recorder
        self._live = Live(
            console=console, screen=True, auto_refresh=False, redirect_stdout=False,
            redirect_stderr=False)

    def refresh(self) -> None:
        """Draw the present."""
        if not self._live.is_started:
            self._live.start()
        self._live.update(self.render(), refresh=True)

    def close(self) -> None:
        """Give the terminal back."""
        self._live.stop()

    def render(self) -> RenderableType:
        """Return the view."""
        now = moment(self._recorder)
        return Group(
            _heading(now), self._story(now), _health(now), self._events())

    def _story(self, now: dict[str, Any]) -> Panel:
        table = Table.grid(padding=(0, 2))
        table.add_row(Text('goal', style='bold cyan'), _text(now['goal']))
        subtask = _text(now['subtask']).copy()
        subtask.stylize('bold')
        if now['subtask']:
            subtask.append(f'  for {now["subtask"]["age_s"]:.0f} s', 'dim')
        table.add_row(Text('doing', style='bold cyan'), subtask)
        memory = self._recorder.timeline.at('memory')
        table.add_row(
            Text('memory', style='bold cyan'), memory_text(memory) if memory else Text('(none)'))
        return Panel(table, title=Text('Memory'))

    def _events(self) -> Panel:
        lines = [line_of(mark, self._recorder.start) for mark in self._recorder.timeline.since(0)]
        shown = [line for line in lines if line is not None][-EVENTS:]
        return Panel(Text('\n').join(shown), title=Text('Events'))


def _heading(now: dict[str, Any]) -> Text:
    gate = now['gate']['level'] if now['gate'] else '?'
    heading = Text(f'{clock(now["time"] - now["start"])}  ', style='bold')
    heading.append(f'gate {gate}', STYLE_OF_LEVEL.get(gate, 'bold'))
    if now['gate'] and now['gate']['reason']:
        heading.append(f' {now["gate"]["reason"]}')
    if now['score']:
        heading.append(f'  score {now["score"]["text"]}')
    return heading


def _health(now: dict[str, Any]) -> Panel:
    table = Table.grid(padding=(0, 2))
    for level, latency in now['latency'].items():
        if latency:
            table.add_row(
                Text(level.replace('_', ' ')), Text(f'p50 {latency["p50_s"] * 1000:.0f} ms'),
                Text(f'p95 {latency["p95_s"] * 1000:.0f} ms'))
    for item in now['inputs']:
        table.add_row(
            Text(item['name']), Text(f'{item["rate_hz"]:.1f} Hz'),
            Text('late' if item['late'] else f'{item["age_s"]:.1f} s ago',
                 style='red' if item['late'] else 'green'))
    return Panel(table, title=Text('Health'))


def _text(mark: dict[str, Any] | None) -> Text:
    return Text(mark['text'] if mark and mark['text'] else '(none)')
