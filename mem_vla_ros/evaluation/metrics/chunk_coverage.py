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

"""For how much of an episode there was no chunk to execute."""

from dataclasses import dataclass

from mem_vla_ros.evaluation.run_trace import RunTrace


@dataclass(frozen=True)
class ChunkCoverage:
    """
    Time with and without a chunk.

    :param uncovered: Share of the episode in which no chunk was valid, 0 to 1.
    :param longest_gap_s: Longest such time [s].
    :param refused: Inferences that ended without a chunk.
    """

    chunks: int
    uncovered: float
    longest_gap_s: float
    refused: int


def chunk_coverage(trace: RunTrace) -> ChunkCoverage | None:
    """
    Add up the times outside of every chunk, from the start of the episode to its end.

    A chunk covers the time from when it was there to its last row.

    :returns: None if the run has no chunks and no low-level states at all.
    """
    if not trace.chunks and not trace.low_level:
        return None
    gaps, reached = [], trace.start
    for answer in sorted(trace.chunks, key=lambda item: item.time):
        gaps.append(min(answer.time, trace.end) - reached)
        reached = max(reached, min(answer.chunk.end, trace.end))
    gaps = [gap for gap in [*gaps, trace.end - reached] if gap > 0]
    return ChunkCoverage(
        len(trace.chunks), sum(gaps) / trace.duration if trace.duration else 0.0,
        max(gaps, default=0.0), sum(state.status != 'ok' for state in trace.low_level))
