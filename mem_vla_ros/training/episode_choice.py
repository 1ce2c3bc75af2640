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


"""Which episodes a training step takes: tasks by weight, however many episodes they have."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.training.episode import Episode, EpisodeSource


class EpisodeChoice:
    """
    Draws episodes: first a task, then one of its episodes.

    :param weights: Weight of a task; 1 where it is not named.
    :raises ConfigError: if a named task has no episode.
    """

    def __init__(self, episodes: EpisodeSource, weights: Mapping[str, float]) -> None:
        self._episodes = episodes
        self._of_task: dict[str, list[int]] = defaultdict(list)
        for index in range(len(episodes)):
            self._of_task[episodes.task_of(index)].append(index)
        self.require(weights, 'task_weights')
        self._tasks = sorted(self._of_task)
        shares = np.array([weights.get(task, 1.0) for task in self._tasks])
        self._shares = shares / shares.sum()

    @property
    def tasks(self) -> list[str]:
        """Return the tasks that may be drawn."""
        return [task for task, share in zip(self._tasks, self._shares, strict=True) if share]

    def require(self, tasks: Iterable[str], setting: str) -> None:
        """Check what a setting names; :raises ConfigError: if a task has no episode."""
        unknown = sorted(set(tasks) - set(self._of_task))
        if unknown:
            raise ConfigError(
                f'{setting} name {unknown}, of which there are no episodes. '
                f'There are {sorted(self._of_task)}.')

    def draw(self, count: int, rng: np.random.Generator) -> list[Episode]:
        """Return episodes, which may repeat."""
        tasks = rng.choice(len(self._tasks), size=count, p=self._shares)
        indices = [self._of_task[self._tasks[task]] for task in tasks]
        return [self._episodes[int(rng.choice(index))] for index in indices]
