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

import json
from pathlib import Path
import shutil

import pytest

from mem_vla_ros.inspector.demo_run import DemoRun
from mem_vla_ros.inspector.moment import mark_summary, moment, motion
from mem_vla_ros.inspector.recorder import Recorder
from mem_vla_ros.inspector.recording import (
    EVENTS_FILE,
    FRAMES_FILE,
    open_recording,
    RecordingError,
    RecordingWriter,
)


@pytest.fixture(scope='module')
def demo(tmp_path_factory) -> tuple[Recorder, Path]:
    folder = tmp_path_factory.mktemp('recording') / 'run'
    writer = RecordingWriter(folder)
    recorder = Recorder(writer)
    DemoRun(recorder).advance(20.0)
    recorder.score(20.1, '{"score": 0.5}')
    recorder.edit(20.2, 'set_goal', 'something else')
    recorder.hold(20.3, True)
    recorder.goal(20.4, 'something else')
    writer.close()
    return recorder, folder


@pytest.fixture
def recorded(demo, tmp_path) -> tuple[Recorder, Path]:
    recorder, folder = demo
    return recorder, Path(shutil.copytree(folder, tmp_path / 'run'))


def without_frame_numbers(document: dict) -> str:
    for camera in (document['clip'] or {}).get('cameras', ()):
        for slot in camera['slots']:
            slot['frame'] = slot['frame'] is not None
    return json.dumps(document)


def test_recording_opens_to_the_same_moments(recorded):
    recorder, folder = recorded
    opened = open_recording(folder)
    for time in (0.5, 8.2, 13.0):
        assert (without_frame_numbers(moment(opened, time))
                == without_frame_numbers(moment(recorder, time)))
        assert motion(opened, time) == motion(recorder, time)
    assert ([mark_summary(mark) for mark in opened.timeline.since(0)]
            == [mark_summary(mark) for mark in recorder.timeline.since(0)])


def test_pictures_stay_on_disk_and_are_the_same(recorded):
    recorder, folder = recorded
    opened = open_recording(folder / EVENTS_FILE)
    assert opened.frames.stored_bytes == 0
    for written, read in zip(
            recorder.frames.clip_at(10.0).frames['rear'],
            opened.frames.clip_at(10.0).frames['rear'], strict=True):
        assert recorder.frames.jpeg(written.number) == opened.frames.jpeg(read.number)


def test_only_frames_that_were_seen_are_written(recorded):
    _, folder = recorded
    frames = [json.loads(line) for line in (folder / EVENTS_FILE).read_text().splitlines()
              if '"kind": "frame"' in line]
    assert 0 < len(frames) < 4 * 200
    assert (folder / FRAMES_FILE).stat().st_size == sum(frame['length'] for frame in frames)


@pytest.mark.parametrize('share', [0.1, 0.37, 0.5, 0.73, 0.999])
def test_recording_cut_anywhere_opens_up_to_there(recorded, share):
    _, folder = recorded
    events = folder / EVENTS_FILE
    content = events.read_bytes()
    events.write_bytes(content[:int(len(content) * share)])
    opened = open_recording(folder)
    assert moment(opened)['goal']['text']
    assert opened.latest <= 20.5


def test_missing_pictures_leave_the_texts(recorded):
    _, folder = recorded
    (folder / FRAMES_FILE).write_bytes(b'')
    opened = open_recording(folder)
    now = moment(opened)
    assert now['memory']['text']
    assert not any(slot['frame'] for camera in now['clip']['cameras'] for slot in camera['slots'])


@pytest.mark.parametrize('line', [
    b'\xff\xfe\x00', b'null', b'[]', b'{}', b'{"kind": "goal"}', b'{"kind": "x", "now": 1}',
    b'{"kind": "goal", "now": "soon", "text": "x"}', b'{"kind": "lock", "now": 1}',
    b'{"kind": "frame", "now": 1, "camera": "base", "stamp": 1, "offset": -5, "length": 9}',
    b'{"kind": "frame", "now": 1, "camera": "base", "stamp": 1, "offset": 0, "length": 1e9}',
    b'{"kind": "high_level", "now": 1, "state": {"episode": 1}}',
    b'{"kind": "chunk", "now": 1, "joint_names": ["a"], "stamp": 1, "dt": 1, "number": 0, '
    b'"positions": "no"}'])
def test_damaged_line_is_skipped(recorded, line):
    recorder, folder = recorded
    events = folder / EVENTS_FILE
    lines = events.read_bytes().splitlines()
    events.write_bytes(b'\n'.join([*lines[:5], line, *lines[5:]]))
    assert (len(open_recording(folder).timeline.since(0))
            == len(recorder.timeline.since(0)))


@pytest.mark.parametrize('content', [None, '', '{"kind": "recording", "format": 99}\n', 'x\n'])
def test_folder_without_a_recording_is_refused(tmp_path, content):
    if content is not None:
        (tmp_path / EVENTS_FILE).write_text(content)
    with pytest.raises(RecordingError):
        open_recording(tmp_path)


def test_existing_recording_is_never_written_over(recorded):
    _, folder = recorded
    with pytest.raises(RecordingError, match='already holds a recording'):
        RecordingWriter(folder)


def test_full_disk_pauses_the_recording_but_not_the_recorder(tmp_path):
    writer = RecordingWriter(tmp_path / 'run')
    disk = writer._events
    recorder = Recorder(writer)
    with Path('/dev/full').open('ab', buffering=0) as writer._events:
        recorder.goal(1.0, 'tidy up')
    assert 'No space' in writer.fault
    writer._events = disk
    recorder.goal(2.0, 'dropped, too soon')
    recorder.goal(9.0, 'written again')
    writer.close()
    assert writer.fault == ''
    opened = open_recording(tmp_path / 'run')
    assert [mark.data['text'] for mark in opened.timeline.of('goal')] == ['written again']
    assert len(recorder.timeline.of('goal')) == 3
