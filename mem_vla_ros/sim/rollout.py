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

"""
Rollout: an expert drives a world in one process, as the ROS graph would.

Alone, or as a teacher: a learner drives for some seconds, the expert takes over from wherever
that led, and so on in turn. The learner's steps are marked as mistakes, so what is learned from
such an episode is how to get back from the places to which a learner comes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from mem_vla_ros.core.types import FloatArray
from mem_vla_ros.sim.experts.expert import Expert
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.world import World

DT = 0.1
# How long the learner and the expert drive in turn, shortest and longest [s].
_LEARNER_S, _EXPERT_S = (2.0, 10.0), (2.0, 6.0)
# How long a decision stands until the next one is heard, in recordings [s]. A high level on a
# robot decides about once a second, so arms rest for a while after what they have done.
DECISION_GAP_S = (0.5, 1.2)
# In this share of the cases, longer: a high level that has missed the end of a subtask must have
# seen how an arm waits or begins again, or it never notices.
LATE_SHARE, _LATE_S = 0.12, (2.0, 5.0)
# How long recordings go on after success [s]: what is done must be seen, too.
LINGER_S = 3.0


@dataclass(frozen=True)
class Step:
    """
    One control step, seen before it is executed.

    :param action: Reference that is wanted one ``DT`` later, shape (7,).
    :param subtask: What the expert would decide now; so is the memory.
    :param told: The decision that stands, which may be a second old; so is what is kept.
    :param succeeded: How the subtask before this one went, at the step where it ended.
    """

    time: float
    joints: FloatArray
    action: FloatArray
    subtask: str
    memory: str
    told: str
    kept: str
    succeeded: bool | None
    # The expert misses on purpose, or a learner drives.
    mistaken: bool = False


class Learner(Protocol):
    """A policy that learns to drive, and that the expert corrects."""

    def reset(self, world: World, seed: int) -> None:
        """Forget the last episode."""
        ...

    def see(self, world: World) -> None:
        """Take in the present cameras and joints; called once a step."""
        ...

    def drive(self, world: World, subtask: str) -> list[FloatArray]:
        """Return the next references; the subtask is empty where the goal must do."""
        ...


class _ExpertTurn:
    """The expert's decisions and its running chunk."""

    def __init__(
        self, world: World, expert: Expert, decide_every: int, replan_every: int,
        gap_s: tuple[float, float], late: float, seed: int,
    ) -> None:
        self._world, self._expert = world, expert
        self._decide_every, self._replan_every = decide_every, replan_every
        self._gap_s, self._late, self._rng = gap_s, late, np.random.default_rng((seed, 5))
        self._count, self._row, self._chunk = 0, 0, np.zeros((0, 7))
        self._decided, self._standing = ('', ''), ('', '')
        self._stands_until = world.time

    def step(self, driving: bool = True) -> Step:
        """Return the step that the expert wants; without an action if it does not drive."""
        world, oracle, succeeded = self._world, None, None
        if self._count % self._decide_every == 0:
            oracle = world.oracle()
            succeeded = self._decide(oracle)
        self._count += 1
        action = np.zeros(7)
        if driving:
            if self._row >= len(self._chunk):
                self._chunk, self._row = self._expert.chunk(
                    world.time, world.joint_positions, world.reference,
                    oracle or world.oracle(), self._standing[0], self._replan_every + 1, DT), 1
            action = self._chunk[self._row]
            self._row += 1
        return Step(world.time, world.joint_positions, action, *self._decided, *self._standing,
                    succeeded, self._expert.mistaken)

    def _decide(self, oracle: Mapping[str, Any]) -> bool | None:
        """Decide, and return how the subtask before went, if this is where it ended."""
        told, kept = self._standing
        decision = self._expert.decide(oracle, kept, told)
        succeeded: bool | None = decision.details['succeeded']
        if succeeded and decision.subtask == self._decided[0]:
            succeeded = None  # said before, and not heard yet
        self._decided = decision.subtask, decision.memory
        if self._world.time >= self._stands_until - 1e-6:
            late = self._gap_s[1] > 0 and self._rng.random() < self._late
            self._stands_until = self._world.time + self._rng.uniform(
                *(_LATE_S if late else self._gap_s))
            self._standing = self._decided
            if self._standing[0] != told:
                self._chunk = self._chunk[:0]
        return succeeded

    def take_over(self) -> None:
        """Plan and decide anew at the next step: the world is not where it was left."""
        self._expert.forget_plan()
        self._count, self._chunk = 0, self._chunk[:0]
        self._stands_until = self._world.time


def run_expert(
    world: World, expert: Expert, noise: float = 0.0, seed: int = 0,
    decide_every: int = 2, replan_every: int = 4, linger: float = 1.0,
    gap_s: tuple[float, float] = (0.0, 0.0), late: float = LATE_SHARE,
) -> Iterator[Step]:
    """
    Yield every control step of an episode until the score is done and the arm has lingered.

    :param noise: Scale of the disturbance of the executed actions [rad]; the yielded ones are
        clean, so that they show how to recover.
    :param seed: Of the disturbance and of the expert's mistakes.
    :param decide_every: Control steps between decisions of the high level.
    :param replan_every: Rows of a chunk that are executed before the next one.
    :param linger: How long to go on after success [s].
    :param gap_s: How long a decision stands at least, shortest and longest [s].
    :param late: Share of the decisions that stand for seconds, if any stands at all.
    """
    rng = np.random.default_rng((seed, 2))
    disturbance = np.zeros(7)
    expert.reset(seed)
    turn = _ExpertTurn(world, expert, decide_every, replan_every, gap_s, late, seed)
    end = _End(world, linger)
    while not end.reached():
        step = turn.step()
        yield step
        disturbance = 0.8 * disturbance + rng.normal(0.0, 0.6 * noise, 7)
        disturbance[[3, 5, 6]] = 0.0
        world.step(step.action + disturbance if noise else step.action, DT)


def run_corrected(
    world: World, expert: Expert, learner: Learner, seed: int, told: float = 0.3,
    linger: float = LINGER_S,
) -> Iterator[Step]:
    """
    Yield every control step of an episode in which learner and expert drive in turn.

    :param told: Share of the learner's turns in which it is told the expert's subtask.
    """
    rng = np.random.default_rng((seed, 4))
    expert.reset(seed)
    learner.reset(world, seed)
    turn = _ExpertTurn(world, expert, 2, 4, DECISION_GAP_S, LATE_SHARE, seed)
    end = _End(world, linger)
    learns, is_told, until = False, False, world.time + rng.uniform(0.0, _EXPERT_S[1])
    rows: list[FloatArray] = []
    while not end.reached():
        learner.see(world)
        if world.time >= until:
            learns, is_told, rows = not learns, bool(rng.random() < told), []
            until = world.time + rng.uniform(*(_LEARNER_S if learns else _EXPERT_S))
            turn.take_over()
        step = turn.step(driving=not learns)
        if learns:
            rows = rows or learner.drive(world, step.told if is_told else '')
            step = replace(step, action=rows.pop(0), mistaken=True)
        yield step
        world.step(step.action, DT)


class _End:
    """Tells when an episode is over: some time after success, at once after failure."""

    def __init__(self, world: World, linger: float) -> None:
        self._world, self._linger = world, linger
        self._at: float | None = None

    def reached(self) -> bool:
        score = self._world.score()
        if self._at is None and score.done:
            self._at = self._world.time + (0.0 if score.failed else self._linger)
        return self._at is not None and self._world.time >= self._at - 1e-6


def expert_score(world: World, expert: Expert, seed: int, noise: float = 0.0) -> Score:
    """Return the score of the expert on one seed."""
    world.reset(seed)
    for _ in run_expert(world, expert, noise, seed):
        pass
    return world.score()
