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

import dataclasses
import io

from rich.console import Console

from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.inspector.recorder import Recorder
from mem_vla_ros.inspector.terminal import TerminalView

STATE = HighLevelState(
    episode='e1', step=0, stamp=1.0, goal='clear the table', previous_subtask='',
    subtask='take the cup', previous_memory='', memory='', memory_version=0, status='ok',
    source='scripted')


def printed(recorder: Recorder, calm: bool = False) -> str:
    stream = io.StringIO()
    TerminalView(recorder, Console(file=stream, markup=False, width=200), calm).refresh()
    return stream.getvalue()


def test_every_change_prints_one_line_and_is_not_repeated():
    stream = io.StringIO()
    recorder = Recorder()
    view = TerminalView(recorder, Console(file=stream, width=200))
    recorder.high_level(1.0, STATE)
    view.refresh()
    recorder.high_level(2.0, STATE)
    view.refresh()
    lines = stream.getvalue().splitlines()
    assert [line.split()[1] for line in lines] == ['episode', 'goal', 'subtask']
    assert 'take the cup' in lines[2]


def test_memory_line_shows_removed_words_without_colour():
    recorder = Recorder()
    recorder.high_level(1.0, dataclasses.replace(STATE, memory='the blue cup is gone'))
    recorder.high_level(9.0, dataclasses.replace(STATE, memory='the cup is gone'))
    assert 'the [-blue-] cup is gone  (15 characters, naive 12)' in printed(recorder)


def test_repeated_subtask_is_printed_as_another_attempt():
    recorder = Recorder()
    for now, subtask in enumerate(('open the lid', 'turn the key', 'open the lid')):
        recorder.high_level(float(now), dataclasses.replace(STATE, subtask=subtask))
    assert 'open the lid  (attempt 2)' in printed(recorder)


def test_markup_and_escape_sequences_stay_text():
    recorder = Recorder()
    recorder.goal(0.0, '[bold red]x[/] :smile: \x1b[31mred\u202e')
    output = printed(recorder)
    assert '[bold red]x[/] :smile: \\x1b[31mred\\u202e' in output
    assert '\x1b' not in output


def test_gate_hold_score_and_incident_have_lines():
    recorder = Recorder()
    recorder.gate(1.0, 'HOLD', 'camera base is stale')
    recorder.hold(2.0, True)
    recorder.score(3.0, '0.5')
    recorder.diagnostic(4.0, 'low_level_policy', 2, 'HOLD base_age')
    kinds = [line.split()[1] for line in printed(recorder).splitlines()]
    assert kinds == ['gate', 'hold', 'score', 'incident']


def test_warnings_that_come_and_go_have_no_lines_in_a_calm_view():
    recorder = Recorder()
    for now, level in enumerate(('OK', 'WARN', 'OK')):
        recorder.gate(float(now), level, 'joint_states_age')
        recorder.diagnostic(float(now), 'low_level_policy', int(level == 'WARN'), level)
    assert printed(recorder, calm=True) == ''
    assert printed(recorder) != ''


def test_the_end_of_a_hold_has_a_line():
    recorder = Recorder()
    recorder.gate(1.0, 'HOLD', 'chunk_age')
    recorder.gate(2.0, 'OK', '')
    lines = printed(recorder, calm=True).splitlines()
    assert [line.split()[2] for line in lines] == ['HOLD', 'OK']
