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

"""How many seeds the experts solve, measured in processes side by side."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
import multiprocessing

from mem_vla_ros.sim.experts.expert import Expert
from mem_vla_ros.sim.rollout import expert_score
from mem_vla_ros.sim.world import World


@dataclass(frozen=True)
class EpisodeResult:
    """One episode of an expert."""

    task: str
    seed: int
    success: bool
    points: float
    time: float
    reason: str


def run_seeds(task: str, seeds: Sequence[int], noise: float = 0.0) -> list[EpisodeResult]:
    """Return the expert's results on the seeds, played in this process."""
    world, expert = World(task), Expert(task)
    results = []
    for seed in seeds:
        score = expert_score(world, expert, seed, noise)
        results.append(EpisodeResult(
            task, seed, score.success, score.points, world.time, score.reason))
    return results


def measure_expert(
    task: str, episodes: int, workers: int = 1, noise: float = 0.0,
) -> list[EpisodeResult]:
    """Return the expert's results on the seeds 0, 1, ..., played in several processes."""
    if workers <= 1:
        return run_seeds(task, range(episodes), noise)
    shares = [range(start, episodes, workers) for start in range(workers)]
    with ProcessPoolExecutor(
            workers, mp_context=multiprocessing.get_context('spawn')) as pool:
        parts = pool.map(run_seeds, [task] * workers, shares, [noise] * workers)
        return sorted((result for part in parts for result in part), key=lambda item: item.seed)
