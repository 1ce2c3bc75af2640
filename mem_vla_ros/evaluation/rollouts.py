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

"""Rollouts of one task: in parallel, one row of plain values for each seed."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.evaluation.rollout import play_episode, RolloutSettings
from mem_vla_ros.sim.film import Film
from mem_vla_ros.sim.world import World

Row = dict[str, Any]

#: Stands in the place of a checkpoint folder.
EXPERT = 'expert'


@dataclass(frozen=True)
class RolloutJob:
    """
    What is rolled out.

    :param low: Checkpoint folder of the low level, or ``expert``.
    :param high: Checkpoint folder of the high level, or ``expert``; empty plays without subtasks.
    :param slip: Share of the grasps that slip.
    :param hold: How long the arm is held once in an episode [s].
    :param image_size: Side of the camera images [px].
    """

    task: str
    low: str
    high: str
    robot_file: str
    slip: float = 0.0
    hold: float = 0.0
    image_size: int = 64
    settings: RolloutSettings = field(default_factory=RolloutSettings)

    def make_world(self) -> World:
        """Return the world that it is played in."""
        return World(self.task, image_size=self.image_size, slip=self.slip, hold=self.hold)


class RolloutPlayer:
    """Plays episodes of a job; every episode depends on its seed alone."""

    def __init__(self, job: RolloutJob) -> None:
        import torch

        from mem_vla_ros.evaluation.levels import Levels
        torch.set_num_threads(1)
        self._job = job
        self._levels = Levels.load(load_robot(job.robot_file), job.low, job.high)
        self._world = job.make_world()

    def play(self, seed: int, film: Film | None = None) -> Row:
        """Return how an episode went, and film it if asked to."""
        return play_episode(
            self._world, seed, self._levels.low_level(self._world, seed),
            self._levels.high_level(self._world), self._job.settings,
            film.watch if film is not None else None)

    def play_all(self, seeds: Iterable[int], batch: int) -> Iterator[Row]:
        """
        Yield one row per seed, in the order in which they end.

        :param batch: Episodes that run side by side; 1 plays one after the other.
        """
        if batch <= 1:
            yield from map(self.play, seeds)
            return
        from mem_vla_ros.evaluation.side_by_side import SideBySide
        yield from SideBySide(self._job, self._levels, batch).play(iter(seeds))

    def close(self) -> None:
        """Free the renderers."""
        self._world.close()


def roll_out(
    job: RolloutJob, seeds: Sequence[int], workers: int = 1, batch: int = 1,
) -> Iterator[Row]:
    """
    Yield one row per seed, in the order in which they end.

    :param workers: Processes.
    :param batch: Episodes side by side in each process, which share batches of inference.
    """
    workers = max(1, min(workers, len(seeds)))
    batch = min(batch, -(-len(seeds) // workers))
    if workers > 1:
        from mem_vla_ros.evaluation.rollout_workers import roll_out_in_workers
        yield from roll_out_in_workers(job, seeds, workers, batch)
        return
    with closing(RolloutPlayer(job)) as player:
        yield from player.play_all(seeds, batch)


def film_rollouts(job: RolloutJob, rows: Sequence[Row], folder: Path, count: int) -> list[Path]:
    """Play the first successes and failures again, film them, and return the films."""
    chosen = [row for success in (True, False)
              for row in [row for row in rows if row['success'] == success][:count]]
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with closing(RolloutPlayer(job)) as player:
        for row in chosen:
            film = Film()
            outcome = 'success' if player.play(row['seed'], film)['success'] else 'failure'
            paths.append(folder / f"{job.task}_{row['seed']}_{outcome}.gif")
            film.save(paths[-1])
    return paths
