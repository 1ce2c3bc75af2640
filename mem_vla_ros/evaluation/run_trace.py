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

"""What both policies answered over one episode, whether recorded or replayed."""

from dataclasses import dataclass, field
from typing import NamedTuple

from mem_vla_ros.core.states import HighLevelState, LowLevelState
from mem_vla_ros.core.types import ActionChunk


class ChunkAnswer(NamedTuple):
    """
    One chunk.

    :param time: When it was there for the executor [s].
    """

    time: float
    chunk: ActionChunk


@dataclass
class RunTrace:
    """
    Answers of one episode, in order.

    :param start: First moment that counts [s].
    :param end: Last moment that counts [s].
    :param source: ``recorded``, or the name of the variant that was replayed.
    """

    source: str
    start: float
    end: float
    chunks: list[ChunkAnswer] = field(default_factory=list)
    low_level: list[LowLevelState] = field(default_factory=list)
    high_level: list[HighLevelState] = field(default_factory=list)

    @property
    def duration(self) -> float:
        """Return the length of the episode [s]."""
        return self.end - self.start
