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

import io

from rich.console import Console

from mem_vla_ros.inspector.demo_run import DemoRun
from mem_vla_ros.inspector.live_terminal import LiveTerminalView
from mem_vla_ros.inspector.recorder import Recorder


def drawn(recorder: Recorder) -> str:
    console = Console(file=io.StringIO(), width=120, force_terminal=False)
    console.print(LiveTerminalView(recorder, console).render())
    return console.file.getvalue()


def test_full_view_shows_the_essentials():
    recorder = Recorder()
    DemoRun(recorder).advance(12.0)
    output = drawn(recorder)
    for words in ('gate OK', 'Put the groceries away', 'put the milk into the fridge',
                  'I opened the fridge.', 'p95', 'camera rear', '1 of 14 points'):
        assert words in output


def test_view_of_nothing_can_be_drawn():
    assert '(none)' in drawn(Recorder())


def test_markup_in_the_full_view_stays_text():
    recorder = Recorder()
    recorder.goal(1.0, '[bold]x[/bold] [link=file:///y]z')
    recorder.gate(1.0, 'HOLD', '[red]r')
    output = drawn(recorder)
    assert '[bold]x[/bold] [link=file:///y]z' in output
    assert 'gate HOLD [red]r' in output


def test_terminal_is_given_back():
    stream = io.StringIO()
    view = LiveTerminalView(Recorder(), Console(file=stream, force_terminal=True))
    view.refresh()
    view.close()
    assert stream.getvalue().count('\x1b[?1049h') == stream.getvalue().count('\x1b[?1049l') == 1
