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
A recording as a file for the Rerun viewer.

Needs the optional package ``rerun-sdk``. Texts, joints, chunks and the kept clips appear on one
timeline, ``time``, in seconds since the start of the recording.
"""

import math
from pathlib import Path
from typing import Any

from mem_vla_ros.core.errors import MemVlaError
from mem_vla_ros.inspector.moment import inference_s
from mem_vla_ros.inspector.recorder import Recorder

LEVELS = {'ok': 'INFO', 'warn': 'WARN', 'error': 'ERROR', 'stale': 'ERROR'}


class RerunMissing(MemVlaError):  # noqa: N818
    """The optional package is not installed."""


def export_rerun(recorder: Recorder, path: Path) -> None:
    """
    Write everything that the recorder holds.

    :raises RerunMissing: if ``rerun-sdk`` is not installed.
    """
    try:
        import rerun
    except ImportError as error:
        raise RerunMissing(
            "The Rerun export needs the package 'rerun-sdk': pip install rerun-sdk") from error
    stream = rerun.RecordingStream('mem_vla_ros')
    stream.save(str(path))
    with recorder.lock:
        _log_marks(rerun, stream, recorder)
        _log_motion(rerun, stream, recorder)
        _log_frames(rerun, stream, recorder)
        _log_latencies(rerun, stream, recorder)
    stream.flush()


def _at(stream: Any, recorder: Recorder, time: float) -> None:
    stream.set_time('time', duration=time - recorder.start)


def _log_marks(rerun: Any, stream: Any, recorder: Recorder) -> None:
    for mark in recorder.timeline.since(0):
        _at(stream, recorder, mark.time)
        if mark.kind in ('goal', 'subtask', 'memory', 'score', 'episode'):
            stream.log(mark.kind, rerun.TextDocument(mark.data['text']))
            stream.log('events', rerun.TextLog(f'{mark.kind}: {mark.data["text"]}', level='INFO'))
        elif mark.kind == 'incident':
            stream.log('events', rerun.TextLog(
                f'{mark.data["where"]}: {mark.data["text"]}', level=LEVELS[mark.data['level']]))
        elif mark.kind == 'gate':
            stream.log('gate', rerun.TextLog(f'{mark.data["level"]} {mark.data["reason"]}'))
        if mark.kind == 'memory':
            stream.log('memory_length/memory', rerun.Scalars(len(mark.data['text'])))
        if mark.kind in ('memory', 'subtask'):
            stream.log('memory_length/naive', rerun.Scalars(mark.data['naive_chars']))


def _log_motion(rerun: Any, stream: Any, recorder: Recorder) -> None:
    for stamp, row in recorder.joint_rows:
        _at(stream, recorder, stamp)
        for name, value in zip(recorder.joint_names, row, strict=True):
            stream.log(f'joints/{name}/executed', rerun.Scalars(value))
    chunks = list(recorder.chunks)
    ends = [*(arrival for arrival, _ in chunks[1:]), math.inf]
    for (arrival, chunk), end in zip(chunks, ends, strict=False):
        for time, row in zip(chunk.times, chunk.positions, strict=True):
            if not arrival <= time < end:
                continue
            _at(stream, recorder, time)
            for name, value in zip(chunk.joint_names, row, strict=True):
                stream.log(f'joints/{name}/planned', rerun.Scalars(value))


def _log_frames(rerun: Any, stream: Any, recorder: Recorder) -> None:
    for frame in recorder.frames.kept():
        jpeg = recorder.frames.jpeg(frame.number)
        if jpeg:
            _at(stream, recorder, frame.stamp)
            stream.log(f'cameras/{frame.camera}', rerun.EncodedImage(
                contents=jpeg, media_type='image/jpeg'))


def _log_latencies(rerun: Any, stream: Any, recorder: Recorder) -> None:
    for time, seconds in recorder.high_level_latencies.items():
        _at(stream, recorder, time)
        stream.log('latency/high_level', rerun.Scalars(seconds))
    for time, state in recorder.low_level_states.items():
        _at(stream, recorder, time)
        stream.log('latency/low_level', rerun.Scalars(inference_s(state.timings_s)))
