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

"""Rollout: an expert drives a world in one process, as the ROS graph would."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mem_vla_ros.core.types import FloatArray
from mem_vla_ros.sim.experts.expert import Expert
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.world import World

DT = 0.1


@dataclass(frozen=True)
class Step:
    """
    One control step, seen before it is executed.

    :param action: Reference that the expert wants one ``DT`` later, shape (7,).
    :param succeeded: How the subtask before this one went, at the step where it ended.
    """

    time: float
    joints: FloatArray
    action: FloatArray
    subtask: str
    memory: str
    succeeded: bool | None
    # The expert misses on purpose.
    mistaken: bool = False


def run_expert(
    world: World, expert: Expert, noise: float = 0.0, seed: int = 0,
    decide_every: int = 2, replan_every: int = 4, linger: float = 1.0,
) -> Iterator[Step]:
    """
    Yield every control step of an episode until the score is done and the arm has lingered.

    :param noise: Scale of the disturbance of the executed actions [rad]; the yielded ones are
        clean, so that they show how to recover.
    :param seed: Of the disturbance and of the expert's mistakes.
    :param decide_every: Control steps between decisions of the high level.
    :param replan_every: Rows of a chunk that are executed before the next one.
    :param linger: How long to go on after success [s].
    """
    rng = np.random.default_rng((seed, 2))
    disturbance = np.zeros(7)
    expert.reset(seed)
    subtask = memory = ''
    chunk, row, count, done_at = np.zeros((0, 7)), 0, 0, None
    while done_at is None or world.time < done_at + linger - 1e-6:
        oracle, succeeded = None, None
        if count % decide_every == 0:
            oracle = world.oracle()
            decision = expert.decide(oracle, memory, subtask)
            changed = decision.subtask != subtask
            subtask, memory = decision.subtask, decision.memory
            succeeded = decision.details['succeeded']
            row = len(chunk) if changed else row
        if row == 0 or row >= min(len(chunk), replan_every + 1):
            chunk, row = expert.chunk(
                world.time, world.joint_positions, world.reference, oracle or world.oracle(),
                subtask, rows=replan_every + 1, dt=DT), 1
        yield Step(world.time, world.joint_positions, chunk[row], subtask, memory, succeeded,
                   expert.mistaken)
        disturbance = 0.8 * disturbance + rng.normal(0.0, 0.6 * noise, 7)
        disturbance[[3, 5, 6]] = 0.0
        world.step(chunk[row] + disturbance if noise else chunk[row], DT)
        row, count = row + 1, count + 1
        score = world.score()
        if done_at is None and score.done:
            done_at = world.time - linger if score.failed else world.time


def expert_score(world: World, expert: Expert, seed: int, noise: float = 0.0) -> Score:
    """Return the score of the expert on one seed."""
    world.reset(seed)
    for _ in run_expert(world, expert, noise, seed):
        pass
    return world.score()
