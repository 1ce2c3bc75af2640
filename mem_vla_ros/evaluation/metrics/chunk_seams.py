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

"""How smoothly one chunk follows another: jumps at the seams, and jerk of what is played."""

from dataclasses import dataclass

import numpy as np

from mem_vla_ros.core.limits import JointLimits
from mem_vla_ros.core.types import ActionChunk, FloatArray
from mem_vla_ros.evaluation.run_trace import ChunkAnswer, RunTrace


@dataclass(frozen=True)
class ChunkSeams:
    """
    Seams of an episode; each joint in parts of its range.

    :param jumps: Largest jump over the joints at each seam, shape (N - 1,).
    :param jerk_rms: Root mean square of the third derivative [1/s^3].
    """

    jumps: FloatArray
    jump_mean: float
    jump_max: float
    jerk_rms: float


def chunk_seams(trace: RunTrace, limits: JointLimits) -> ChunkSeams | None:
    """
    Play each chunk from the time that it was there until the next one was.

    A jump is the distance between what the old and the new chunk want at the moment of change.
    The executor blends and limits afterwards; this is what it has to make up for.

    :returns: None with less than two chunks that touch.
    """
    span = limits.upper - limits.lower
    jumps = []
    for old, new in zip(trace.chunks, trace.chunks[1:], strict=False):
        touches = old.chunk.stamp <= new.time <= old.chunk.end and new.time <= new.chunk.end
        if touches and old.chunk.joint_names == new.chunk.joint_names == limits.names:
            step = position_at(new.chunk, new.time) - position_at(old.chunk, new.time)
            jumps.append(float(np.max(np.abs(step / span))))
    if not jumps:
        return None
    return ChunkSeams(
        np.array(jumps), float(np.mean(jumps)), float(np.max(jumps)),
        _jerk_rms(trace.chunks, span))


def position_at(chunk: ActionChunk, time: float) -> FloatArray:
    """Return what a chunk wants at a time within it, shape (J,)."""
    return np.array([np.interp(time, chunk.times, column) for column in chunk.positions.T])


def _jerk_rms(chunks: list[ChunkAnswer], span: FloatArray) -> float:
    """Return the jerk of the played reference, sampled at the chunks' own steps."""
    dt = chunks[0].chunk.dt
    squares: list[FloatArray] = []
    for run in _runs(chunks):
        times = np.arange(run[0].time, run[-1].chunk.end, dt)
        starts = np.array([answer.time for answer in run])
        played = [
            position_at(run[int(np.searchsorted(starts, time, side='right')) - 1].chunk, time)
            for time in times]
        if len(played) > 3:
            squares.append((np.diff(np.array(played) / span, n=3, axis=0) / dt**3) ** 2)
    return float(np.sqrt(np.concatenate(squares).mean())) if squares else 0.0


def _runs(chunks: list[ChunkAnswer]) -> list[list[ChunkAnswer]]:
    """Return stretches in which each chunk arrives before the last one has ended."""
    runs = [[chunks[0]]]
    for answer in chunks[1:]:
        if answer.time <= runs[-1][-1].chunk.end and (
                answer.chunk.joint_names == runs[-1][-1].chunk.joint_names):
            runs[-1].append(answer)
        else:
            runs.append([answer])
    return runs
