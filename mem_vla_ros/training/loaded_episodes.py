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

"""Episodes that are in memory, as a set to train on."""

from collections.abc import Iterator, Sequence

from mem_vla_ros.training.episode import Episode


class LoadedEpisodes:
    """A list of episodes."""

    def __init__(self, episodes: Sequence[Episode]) -> None:
        self._episodes = episodes

    def __len__(self) -> int:
        return len(self._episodes)

    def __getitem__(self, index: int) -> Episode:
        return self._episodes[index]

    def task_of(self, index: int) -> str:
        """Return the task of an episode."""
        return self._episodes[index].task

    def texts(self) -> Iterator[str]:
        """Return every goal, subtask and memory once."""
        yield from dict.fromkeys(
            text for episode in self._episodes
            for text in (episode.goal, *episode.subtasks, *episode.memories))
