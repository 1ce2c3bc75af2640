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

"""High-level policy that answers with training records: a perfect student of its labels."""

from bisect import bisect_right
from collections.abc import Sequence

from mem_vla_ros.core.errors import PolicyError
from mem_vla_ros.core.types import Decision, Observation
from mem_vla_ros.training.labels.annotated_episode import LabelRecord


class LabelReplayPolicy:
    """
    Implements ``HighLevelPolicy`` for one labelled episode.

    :param records: All records of the episode, in order.
    :param begin: Sensor time of the episode's zero [s]; None takes the first observation's.
    """

    frames = 1
    stride = 1.0
    image_size = 0

    def __init__(self, records: Sequence[LabelRecord], begin: float | None = None) -> None:
        if not records:
            raise PolicyError('LabelReplayPolicy needs at least one record.')
        self._records = records
        self._starts = [record.start for record in records]
        self._first_begin = self._begin = begin

    def decide(
        self, observation: Observation, memory: str, goal: str, subtask: str,
    ) -> Decision:
        """Return the subtask and the memory of the observation's moment."""
        if self._begin is None:
            self._begin = observation.stamp
        index = bisect_right(self._starts, observation.stamp - self._begin) - 1
        record = self._records[max(index, 0)]
        return Decision(record.subtask, record.next_memory)

    def reset(self) -> None:
        """Begin the episode again with the next observation."""
        self._begin = self._first_begin
