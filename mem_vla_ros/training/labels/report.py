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

"""Report of a labelling run: lengths, compression against the naive memory, refused labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import statistics
from typing import Any

from mem_vla_ros.memory.memory_budget import estimate_tokens
from mem_vla_ros.memory.naive_memory import SEPARATOR
from mem_vla_ros.training.labels.annotated_episode import AnnotatedEpisode, LabelRecord


@dataclass(frozen=True)
class LabelReport:
    """
    Numbers of one run.

    :param compression: Mean over the episodes of naive length divided by memory length, both at
        the end of the episode and uncut.
    :param counts: Labels by source, questions asked and cached, refusals by reason.
    """

    episodes: int
    records: int
    mean_chars: float
    max_chars: int
    mean_tokens: float
    max_tokens: int
    compression: float
    counts: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**vars(self), 'counts': dict(sorted(self.counts.items()))}

    def __str__(self) -> str:
        counts = ', '.join(f'{name} {count}' for name, count in sorted(self.counts.items()))
        return (
            f'{self.records} records from {self.episodes} episodes\n'
            f'memory: mean {self.mean_chars:.0f} characters, at most {self.max_chars}; '
            f'mean {self.mean_tokens:.0f} tokens, at most {self.max_tokens}\n'
            f'naive memory would be {self.compression:.1f} times as long at the end\n'
            f'labels: {counts}')


def make_report(
    episodes: Sequence[AnnotatedEpisode], records: Sequence[LabelRecord],
    counts: Mapping[str, int],
) -> LabelReport:
    """Return the numbers of a run."""
    memories = [record.next_memory for record in records if record.next_memory] or ['']
    tokens = [estimate_tokens(memory) for memory in memories]
    final = {record.episode: record.next_memory for record in records}
    ratios = [
        len(SEPARATOR.join(subtask.text for subtask in episode.subtasks))
        / len(final[episode.episode])
        for episode in episodes if final.get(episode.episode)]
    return LabelReport(
        episodes=len(episodes), records=len(records),
        mean_chars=statistics.fmean(map(len, memories)), max_chars=max(map(len, memories)),
        mean_tokens=statistics.fmean(tokens), max_tokens=max(tokens),
        compression=statistics.fmean(ratios) if ratios else 1.0, counts=dict(counts))
