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
The state of everything at one moment, past or present, as plain values for the page.

:func:`moment` answers for texts, pictures and health, :func:`motion` for the joints.
"""

from collections.abc import Mapping, Sequence
import math
from typing import Any

import numpy as np

from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.inspector.frame_store import Clip
from mem_vla_ros.inspector.recorder import Recorder
from mem_vla_ros.inspector.timeline import Mark

LATENCY_WINDOW_S = 60.0
LATENCY_VALUES = 80
MOTION_BEFORE_S = 6.0
MOTION_AFTER_S = 2.0


def moment(recorder: Recorder, time: float | None = None) -> dict[str, Any]:
    """
    Return what was known at a time, with ages relative to it.

    :param time: On the recording's own clock; None means now.
    """
    with recorder.lock:
        live = time is None or time >= recorder.latest
        time = recorder.latest if live else time
        assert time is not None
        hold = recorder.timeline.at('hold', time)
        return {
            'time': time,
            'start': recorder.start,
            'latest': recorder.latest,
            'episode': _mark(recorder.timeline.at('episode', time), time),
            'goal': _mark(recorder.timeline.at('goal', time), time),
            'subtask': _mark(recorder.timeline.at('subtask', time), time),
            'memory': _mark(recorder.timeline.at('memory', time), time),
            'score': _mark(recorder.timeline.at('score', time), time),
            'gate': _mark(recorder.timeline.at('gate', time), time),
            'hold': bool(hold and hold.data['on']),
            'low_level': _low_level(recorder, time),
            'clip': _clip(recorder.frames.clip_at(time), time),
            'pictures': _pictures(recorder, time) if live else [],
            'latency': {
                'high_level': _latency(recorder.high_level_latencies.between(
                    time - LATENCY_WINDOW_S, time)),
                'low_level': _latency([
                    inference_s(state.timings_s) for state in
                    recorder.low_level_states.between(time - LATENCY_WINDOW_S, time)]),
            },
            'inputs': _inputs(recorder, time),
            'diagnostics': _diagnostics(recorder, time),
        }


def motion(recorder: Recorder, time: float | None = None) -> dict[str, Any]:
    """
    Return planned and executed joint positions around a time.

    A chunk counts from when it arrived until the next one did; its rows before that were spent
    while the policy was thinking. The newest chunk is given to its end.
    """
    with recorder.lock:
        time = recorder.latest if time is None else time
        start, end = time - MOTION_BEFORE_S, time + MOTION_AFTER_S
        executed = recorder.joint_rows.between(start, end)
        chunks = recorder.chunks.between(start - MOTION_AFTER_S, time)
        names = recorder.joint_names or (chunks[-1][1].joint_names if chunks else ())
    untils = [*(arrival for arrival, _ in chunks[1:]), math.inf][:len(chunks)]
    return {
        'time': time, 'start': start, 'end': end,
        'joints': list(names),
        'executed': {
            'times': [round(stamp, 4) for stamp, _ in executed],
            'rows': [[round(value, 4) for value in row] for _, row in executed]},
        'chunks': [_chunk(arrival, until, chunk, names)
                   for (arrival, chunk), until in zip(chunks, untils, strict=True)],
    }


def mark_summary(mark: Mark) -> dict[str, Any]:
    """Return a mark for the timeline: everything but the words of a memory."""
    data = dict(mark.data)
    if mark.kind == 'memory':
        del data['changes']
        data['chars'] = len(data.pop('text'))
    return {'number': mark.number, 'time': mark.time, 'kind': mark.kind, **data}


def memory_versions(recorder: Recorder, time: float, count: int) -> list[dict[str, Any]]:
    """Return the newest versions of the memory that are not after the time, newest first."""
    versions = [mark for mark in recorder.timeline.of('memory') if mark.time <= time]
    return [_mark(mark, time) or {} for mark in reversed(versions[-count:])]


def inference_s(timings_s: Mapping[str, float]) -> float:
    """Return how long the low-level policy took for a chunk."""
    return float(timings_s.get('total', sum(timings_s.values())))


def _mark(mark: Mark | None, time: float) -> dict[str, Any] | None:
    if mark is None:
        return None
    return {'number': mark.number, 'time': mark.time, 'age_s': time - mark.time, **mark.data}


def _low_level(recorder: Recorder, time: float) -> dict[str, Any] | None:
    state = recorder.low_level_states.at(time)
    if state is None:
        return None
    return {
        'chunk': state.chunk, 'subtask': state.subtask, 'status': state.status,
        'error': state.error, 'chunking': state.chunking, 'dt': state.dt, 'rows': state.rows,
        'delay_steps': state.delay_steps, 'forecast_delay_steps': state.forecast_delay_steps,
        'spacing_error_s': state.spacing_error_s, 'timings_s': dict(state.timings_s)}


def _clip(clip: Clip | None, time: float) -> dict[str, Any] | None:
    if clip is None:
        return None
    return {
        'time': clip.time, 'age_s': time - clip.time,
        'cameras': [
            {'name': name, 'slots': [
                {'padded': stamp is None,
                 'age_s': None if stamp is None else clip.stamp - stamp,
                 'frame': frame.number if frame else None}
                for stamp, frame in zip(stamps, clip.frames[name], strict=True)]}
            for name, stamps in clip.stamps.items()]}


def _pictures(recorder: Recorder, time: float) -> list[dict[str, Any]]:
    return [{'camera': camera, 'frame': frame.number, 'age_s': time - frame.stamp}
            for camera, frame in recorder.frames.newest().items()]


def _latency(values: Sequence[float]) -> dict[str, Any] | None:
    if not values:
        return None
    return {
        'p50_s': float(np.percentile(values, 50)), 'p95_s': float(np.percentile(values, 95)),
        'count': len(values), 'values': [round(value, 4) for value in values[-LATENCY_VALUES:]]}


def _inputs(recorder: Recorder, time: float) -> list[dict[str, Any]]:
    return [
        {'name': item.name, 'rate_hz': round(item.rate_hz, 2), 'age_s': round(item.age_s, 3),
         'late': item.late}
        for item in recorder.inputs_at(time)]


def _diagnostics(recorder: Recorder, time: float) -> list[dict[str, Any]]:
    statuses = [track.at(time) for _, track in sorted(recorder.diagnostics.items())]
    return [{'name': status.name, 'level': status.level, 'text': status.text}
            for status in statuses if status is not None]


def _chunk(
    arrival: float, until: float, chunk: ActionChunk, names: Sequence[str],
) -> dict[str, Any]:
    rows = len(chunk.positions)
    if math.isfinite(until):
        rows = min(rows, max(0, math.ceil((until - chunk.stamp) / chunk.dt)) + 1)
    first = min(max(0, math.floor((arrival - chunk.stamp) / chunk.dt)), rows)
    columns = [chunk.joint_names.index(name) for name in names if name in chunk.joint_names]
    return {
        'number': chunk.number, 'stamp': round(chunk.stamp, 4), 'arrival': round(arrival, 4),
        'first': first, 'dt': chunk.dt,
        'rows': chunk.positions[first:rows, columns].round(4).astype(float).tolist()}
