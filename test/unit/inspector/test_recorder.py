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
import json
import math

import numpy as np

from mem_vla_ros.core.states import HighLevelState, LowLevelState
from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.inspector.demo_run import DemoRun
from mem_vla_ros.inspector.moment import mark_summary, memory_versions, moment, motion
from mem_vla_ros.inspector.recorder import Recorder

STATE = HighLevelState(
    episode='e1', step=0, stamp=1.0, goal='tidy up', previous_subtask='', subtask='take the cup',
    previous_memory='', memory='', memory_version=0, status='ok', source='scripted',
    latency_s=0.5)
LOW = LowLevelState(
    session='s', episode='e1', chunk=0, stamp=1.0, dt=0.1, rows=3, goal='tidy up',
    subtask='take the cup', timings_s={'encode': 0.1, 'flow': 0.2})


def kinds(recorder: Recorder) -> list[str]:
    return [mark.kind for mark in recorder.timeline.since(0)]


def test_state_without_news_adds_no_mark():
    recorder = Recorder()
    recorder.high_level(1.0, STATE)
    before = kinds(recorder)
    recorder.high_level(2.0, STATE)
    assert kinds(recorder) == before == ['episode', 'goal', 'subtask']


def test_topics_tell_only_until_the_first_state():
    recorder = Recorder()
    recorder.memory(1.0, 'from the topic')
    recorder.subtask(1.0, 'old')
    recorder.high_level(2.0, dataclasses.replace(STATE, memory='from the state'))
    recorder.memory(3.0, 'from the topic')
    recorder.subtask(3.0, 'old')
    assert moment(recorder)['memory']['text'] == 'from the state'
    assert moment(recorder)['subtask']['text'] == 'take the cup'


def test_moment_in_the_past_tells_what_was_known_then():
    recorder = Recorder()
    recorder.high_level(10.0, dataclasses.replace(STATE, memory='one'))
    recorder.gate(12.0, 'HOLD', 'stale')
    recorder.high_level(20.0, dataclasses.replace(STATE, subtask='wipe', memory='one two'))
    then = moment(recorder, 13.0)
    assert then['memory']['text'] == 'one'
    assert (then['subtask']['text'], then['subtask']['age_s']) == ('take the cup', 3.0)
    assert (then['gate']['level'], then['gate']['age_s']) == ('HOLD', 1.0)
    assert moment(recorder)['memory']['changes'] == [('kept', 'one'), ('added', 'two')]


def test_step_of_an_old_goal_does_not_bring_it_back():
    recorder = Recorder()
    recorder.high_level(1.0, STATE)
    recorder.goal(2.0, 'wash up')
    recorder.high_level(2.1, STATE)
    assert moment(recorder)['goal']['text'] == 'wash up'
    recorder.high_level(3.0, dataclasses.replace(STATE, goal='cook'))
    assert moment(recorder)['goal']['text'] == 'cook'


def test_naive_length_grows_with_every_attempt_and_restarts_with_the_episode():
    recorder = Recorder()
    for now, subtask in enumerate(('abc', 'de', 'abc')):
        recorder.high_level(float(now), dataclasses.replace(STATE, subtask=subtask))
    subtasks = recorder.timeline.of('subtask')
    assert [mark.data['naive_chars'] for mark in subtasks] == [3, 7, 12]
    assert [mark.data['attempt'] for mark in subtasks] == [1, 1, 2]
    recorder.high_level(9.0, dataclasses.replace(STATE, episode='e2', subtask='abc'))
    newest = recorder.timeline.of('subtask')[-1]
    assert (newest.data['naive_chars'], newest.data['attempt']) == (3, 1)


def test_malformed_answer_is_an_incident():
    recorder = Recorder()
    recorder.high_level(1.0, dataclasses.replace(STATE, status='malformed', error='no memory'))
    incident = recorder.timeline.of('incident')[0]
    assert incident.data == {
        'where': 'high level', 'level': 'warn', 'text': 'malformed: no memory'}


def test_diagnostics_are_incidents_only_when_their_level_changes():
    recorder = Recorder()
    for now, (level, text) in enumerate(((0, 'a'), (0, 'b'), (2, 'bad'), (2, 'worse'), (0, 'ok'))):
        recorder.diagnostic(float(now), '/node', level, text)
    levels = [mark.data['level'] for mark in recorder.timeline.of('incident')]
    assert levels == ['error', 'ok']
    assert moment(recorder, 3.5)['diagnostics'] == [
        {'name': '/node', 'level': 'error', 'text': 'worse'}]


def test_number_of_diagnostic_names_is_bounded():
    recorder = Recorder()
    for index in range(500):
        recorder.diagnostic(1.0, f'/node_{index}', 0, 'fine')
    assert len(moment(recorder)['diagnostics']) == 64


def test_running_clock_of_the_score_is_no_news():
    recorder = Recorder()
    recorder.score(1.0, json.dumps({'score': 0.5, 'done': False, 'time_s': 1.0}))
    recorder.score(2.0, json.dumps({'score': 0.5, 'done': False, 'time_s': 2.0}))
    recorder.score(3.0, json.dumps({'score': 1.0, 'done': True, 'time_s': 3.0}))
    recorder.score(4.0, 'not json')
    assert [mark.data['values'] for mark in recorder.timeline.of('score')] == [
        {'score': 0.5, 'done': False}, {'score': 1.0, 'done': True}, {'score': 'not json'}]


def test_joints_are_mapped_by_name_and_non_finite_ones_are_refused():
    recorder = Recorder()
    recorder.joints(0.0, 0.0, ['a', 'b'], [1.0, 2.0])
    recorder.joints(1.0, 1.0, ['b', 'a'], [4.0, 3.0])
    recorder.joints(2.0, 2.0, ['a', 'b'], [math.nan, 2.0])
    recorder.joints(3.0, 3.0, ['a'], [1.0])
    assert motion(recorder)['executed'] == {'times': [0.0, 1.0], 'rows': [[1.0, 2.0], [3.0, 4.0]]}


def test_fast_joint_states_are_reduced_to_25_hz():
    recorder = Recorder()
    for index in range(1000):
        recorder.joints(index * 0.002, index * 0.002, ['a'], [0.0])
    assert 45 <= len(recorder.joint_rows) <= 51


def test_motion_gives_spent_chunks_up_to_their_successor_and_the_newest_to_its_end():
    recorder = Recorder()
    rows = np.arange(16.0)[:, None]
    recorder.chunk(10.2, ActionChunk(('a',), 10.0, 0.1, rows, number=1))
    recorder.chunk(10.7, ActionChunk(('a',), 10.5, 0.1, rows + 100, number=2))
    first, second = motion(recorder)['chunks']
    assert first['first'] == 1 or first['first'] == 2
    assert first['rows'][-1] == [7.0] or first['rows'][-1] == [8.0]
    assert second['rows'][-1] == [115.0]
    assert len(second['rows']) in (14, 15)


def test_clock_that_jumps_back_is_told_and_time_goes_on():
    recorder = Recorder()
    recorder.high_level(100.0, STATE)
    recorder.frame(100.0, 'base', 100.0, b'\xff\xd8old')
    recorder.frame(5.0, 'base', 5.0, b'\xff\xd8new')
    recorder.low_level(5.2, dataclasses.replace(
        LOW, stamp=5.0, frame_stamps={'base': [None, 5.0]}))
    now = moment(recorder)
    assert now['time'] >= 100.0
    assert recorder.timeline.of('incident')[-1].data['where'] == 'clock'
    slots = now['clip']['cameras'][0]['slots']
    assert [slot['padded'] for slot in slots] == [True, False]
    assert recorder.frames.jpeg(slots[1]['frame']) == b'\xff\xd8new'


def test_latencies_are_those_of_the_last_minute():
    recorder = Recorder()
    recorder.high_level(0.0, dataclasses.replace(STATE, latency_s=9.0))
    for index in range(100):
        recorder.high_level(100.0 + index * 0.1, dataclasses.replace(
            STATE, latency_s=0.01 * (index + 1)))
        recorder.low_level(100.0 + index * 0.1, LOW)
    latency = moment(recorder)['latency']
    assert latency['high_level']['count'] == 100
    assert abs(latency['high_level']['p50_s'] - 0.505) < 0.011
    assert abs(latency['high_level']['p95_s'] - 0.95) < 0.011
    assert abs(latency['low_level']['p50_s'] - 0.3) < 1e-9


def test_silent_input_is_late_and_regular_one_is_not():
    recorder = Recorder()
    for index in range(50):
        recorder.joints(index * 0.02, index * 0.02, ['a'], [0.0])
        recorder.high_level(index * 0.02, STATE)
    for index in range(50, 150):
        recorder.joints(index * 0.02, index * 0.02, ['a'], [0.0])
    inputs = {item['name']: item for item in moment(recorder)['inputs']}
    assert not inputs['joint_states']['late']
    assert abs(inputs['joint_states']['rate_hz'] - 50.0) < 1.0
    assert inputs['hl_state']['late']


def test_versions_come_newest_first_and_end_at_the_cursor():
    recorder = Recorder()
    for index in range(1, 6):
        recorder.high_level(float(index), dataclasses.replace(STATE, memory=f'fact {index}'))
    texts = [version['text'] for version in memory_versions(recorder, 4.0, 3)]
    assert texts == ['fact 4', 'fact 3', 'fact 2']


def test_timeline_carries_the_length_of_a_memory_but_not_its_words():
    recorder = Recorder()
    recorder.high_level(1.0, dataclasses.replace(STATE, memory='secret words'))
    summary = mark_summary(recorder.timeline.of('memory')[0])
    assert summary['chars'] == 12
    assert 'secret' not in json.dumps(summary)


def test_everything_about_a_moment_is_strict_json():
    recorder = Recorder()
    DemoRun(recorder).advance(12.0)
    json.dumps(moment(recorder), allow_nan=False)
    json.dumps(motion(recorder), allow_nan=False)
    json.dumps([mark_summary(mark) for mark in recorder.timeline.since(0)], allow_nan=False)


def test_eight_hours_of_changing_memory_stay_bounded():
    recorder = Recorder()
    for second in range(8 * 3600):
        recorder.high_level(float(second), dataclasses.replace(STATE, memory=f'fact {second}'))
        recorder.low_level(float(second), LOW)
    assert len(recorder.high_level_latencies) <= 20_000
    assert len(recorder.low_level_states) <= 5000
    assert len(recorder.timeline.since(0)) <= 20_000
    assert moment(recorder, 4 * 3600.0)['memory']['text'] == 'fact 14400'
