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

"""Collecting demonstrations in parallel processes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
import math
import multiprocessing
from pathlib import Path
from typing import Any

from tqdm import tqdm

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.sim.dataset import Dataset, write_arrays
from mem_vla_ros.sim.experts.expert import Expert
from mem_vla_ros.sim.recording import record_corrections, record_episode
from mem_vla_ros.sim.rollout import DT, LATE_SHARE, Learner
from mem_vla_ros.sim.scene.arm import JOINT_NAMES
from mem_vla_ros.sim.tasks.registry import TASKS
from mem_vla_ros.sim.world import CAMERAS, World

MakeLearner = Callable[[], Learner]


@dataclass(frozen=True)
class CollectSettings:
    """
    What to collect.

    :param noise: Scale of the disturbance of the executed actions [rad].
    :param mistakes: Share of the pick-ups that miss on purpose and are repeated.
    :param longest_s: Only so much of an episode is recorded [s]; not for a learner. A folder is
        not resumed with another.
    :param told: Of a learner's turns, the share in which it is told the subtask.
    :param learner: Which learner it is; a folder is not resumed with another. Empty for none.
    :param late: Share of the decisions that the expert hears seconds late; not for a learner.
    :param slip: Share of the grasps that slip. A folder is not resumed with another.
    :param compress: Deflated archives; else plain arrays that can be memory-mapped.
    """

    task: str
    image_size: int = 64
    noise: float = 0.01
    mistakes: float = 0.0
    told: float = 0.3
    compress: bool = True
    learner: str = ''
    longest_s: float = math.inf
    late: float = LATE_SHARE
    slip: float = 0.0


def collect(
    settings: CollectSettings, episodes: int, folder: str | Path, workers: int = 1,
    first_seed: int = 0, progress: bool = True, make_learner: MakeLearner | None = None,
) -> Dataset:
    """
    Write demonstrations until the folder has them for all of the seeds, and return the data set.

    Seeds that are there already are not played again, so a stopped run can be resumed. A seed
    that the expert does not solve is written too, marked as a failure.

    :param episodes: How many seeds, from ``first_seed`` on.
    :param make_learner: Makes a policy that drives in turn with the expert; it must be picklable
        if there are workers.
    :raises ConfigError: if the task is unknown or the folder holds other data.
    """
    if settings.task not in TASKS:
        raise ConfigError(f'Unknown task {settings.task!r}. Allowed: {sorted(TASKS)}.')
    if settings.learner and settings.longest_s < math.inf:
        raise ConfigError(
            f'Episodes with a learner are recorded whole. Got longest_s {settings.longest_s}.')
    dataset = Dataset.create(folder, {
        'image_size': settings.image_size, 'cameras': list(CAMERAS),
        'joint_names': list(JOINT_NAMES), 'dt': DT,
        **({'learner': settings.learner} if settings.learner else {}),
        **({'longest_s': settings.longest_s} if settings.longest_s < math.inf else {}),
        **({'late': settings.late} if settings.late != LATE_SHARE else {}),
        **({'slip': settings.slip} if settings.slip else {})})
    there = {entry['seed'] for entry in dataset.entries if entry['task'] == settings.task}
    seeds = [seed for seed in range(first_seed, first_seed + episodes) if seed not in there]
    bar = tqdm(total=episodes, initial=episodes - len(seeds), unit='episode',
               desc=settings.task, disable=not progress)
    with bar:
        for entry in _play(settings, dataset.folder, seeds, workers, make_learner):
            dataset.add(entry)
            bar.update()
    return dataset


def _play(
    settings: CollectSettings, folder: Path, seeds: list[int], workers: int,
    make_learner: MakeLearner | None,
) -> Iterator[dict[str, Any]]:
    if workers <= 1:
        player = _Player(settings, folder, make_learner)
        try:
            yield from map(player.play, seeds)
        finally:
            player.close()
        return
    # A fresh interpreter for each: OpenGL does not survive a fork.
    context = multiprocessing.get_context('spawn')
    with context.Pool(workers, _start_worker, (settings, folder, make_learner)) as pool:
        yield from pool.imap_unordered(_play_in_worker, seeds)


class _Player:
    """One world and one expert, and perhaps a learner, that play seed after seed."""

    def __init__(
        self, settings: CollectSettings, folder: Path, make_learner: MakeLearner | None,
    ) -> None:
        self._settings, self._folder = settings, folder
        self._world = World(settings.task, settings.image_size, slip=settings.slip)
        self._expert = Expert(settings.task, settings.mistakes)
        self._learner = make_learner() if make_learner is not None else None

    def play(self, seed: int) -> dict[str, Any]:
        """Record one episode, write its arrays, and return its entry."""
        if self._learner is None:
            recording = record_episode(
                self._world, self._expert, seed, self._settings.noise, self._settings.longest_s,
                self._settings.late)
        else:
            recording = record_corrections(
                self._world, self._expert, self._learner, seed, self._settings.told)
        return write_arrays(self._folder, recording, self._settings.compress)

    def close(self) -> None:
        """Free the world."""
        self._world.close()


_worker: _Player | None = None


def _start_worker(
    settings: CollectSettings, folder: Path, make_learner: MakeLearner | None,
) -> None:
    global _worker  # noqa: PLW0603
    _worker = _Player(settings, folder, make_learner)


def _play_in_worker(seed: int) -> dict[str, Any]:
    assert _worker is not None
    return _worker.play(seed)
