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

"""Many rollouts in parallel processes, and what they show."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
import math
import multiprocessing
from typing import Any

from tqdm import tqdm

from mem_vla_ros.core.robot import load_robot


@dataclass(frozen=True)
class RolloutJob:
    """
    What a worker needs to play episodes.

    :param low: Checkpoint folder of the low level.
    :param high: Checkpoint folder of the high level; empty plays without subtasks.
    """

    task: str
    low: str
    high: str
    robot_file: str
    execution_rows: int = 5
    image_size: int = 64


def roll_out(
    job: RolloutJob, seeds: Sequence[int], workers: int = 1, progress: bool = True,
) -> list[dict[str, Any]]:
    """Return one row per seed, in the order of the seeds."""
    bar = tqdm(_play(job, seeds, workers), total=len(seeds), desc=job.task, unit='rollout',
               disable=not progress)
    return sorted(bar, key=lambda row: seeds.index(row['seed']))


def summarise(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return success and points as mean and standard error, and why the others failed."""
    count = len(rows)
    success = [float(row['success']) for row in rows]
    points = [row['points'] / row['max_points'] for row in rows]
    return {
        'rollouts': count,
        'success': _mean(success), 'success_error': _standard_error(success),
        'points': _mean(points), 'points_error': _standard_error(points),
        'failures': dict(Counter(row['reason'] for row in rows if not row['success']))}


def _play(job: RolloutJob, seeds: Sequence[int], workers: int) -> Iterator[dict[str, Any]]:
    if workers <= 1:
        _start_worker(job)
        yield from map(_play_one, seeds)
        return
    # A fresh interpreter for each: OpenGL does not survive a fork.
    context = multiprocessing.get_context('spawn')
    with context.Pool(workers, _start_worker, (job,)) as pool:
        yield from pool.imap_unordered(_play_one, seeds)


_worker: dict[str, Any] = {}


def _start_worker(job: RolloutJob) -> None:
    import torch

    from mem_vla_ros.evaluation.rollout import RolloutSettings
    from mem_vla_ros.policies.memvla_high_level import MemVlaHighLevel
    from mem_vla_ros.policies.memvla_low_level import MemVlaLowLevel
    from mem_vla_ros.sim.world import World
    torch.set_num_threads(1)
    robot = load_robot(job.robot_file)
    _worker.update(
        world=World(job.task, image_size=job.image_size),
        low=MemVlaLowLevel.from_folder(job.low, robot),
        high=MemVlaHighLevel.from_folder(job.high) if job.high else None,
        settings=RolloutSettings(execution_rows=job.execution_rows))


def _play_one(seed: int) -> dict[str, Any]:
    from mem_vla_ros.evaluation.rollout import play_episode
    played = play_episode(
        _worker['world'], seed, _worker['low'], _worker['high'], _worker['settings'])
    row = asdict(played)
    return row.pop('score') | row | {'seed': seed}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _standard_error(values: Sequence[float]) -> float:
    if len(values) < 2:
        return math.nan
    mean = _mean(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return math.sqrt(variance / len(values))
