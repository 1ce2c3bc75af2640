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

"""Several sets of episodes as one."""

from collections.abc import Iterator, Sequence
from itertools import chain

from mem_vla_ros.training.episode import Episode, EpisodeSource


class JoinedEpisodes:
    """The episodes of several sources, one source after the other."""

    def __init__(self, sources: Sequence[EpisodeSource]) -> None:
        self._sources = sources
        self._places = [
            (source, number) for source in sources for number in range(len(source))]

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: int) -> Episode:
        source, number = self._places[index]
        return source[number]

    def task_of(self, index: int) -> str:
        """Return the task of an episode."""
        source, number = self._places[index]
        return source.task_of(number)

    def texts(self) -> Iterator[str]:
        """Return every goal, subtask and memory once."""
        yield from dict.fromkeys(chain.from_iterable(source.texts() for source in self._sources))
