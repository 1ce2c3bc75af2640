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
The two levels that play an episode: checkpoints, or the expert in place of one of them.

With the expert as one level, what goes wrong is the other level's fault.
"""

from dataclasses import dataclass

import numpy as np

from mem_vla_ros.core.errors import PolicyError
from mem_vla_ros.core.robot import Robot
from mem_vla_ros.core.types import ActionChunk, Committed, Decision, Observation
from mem_vla_ros.evaluation.rollouts import EXPERT
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.policies.interface import HighLevelPolicy, LowLevelPolicy
from mem_vla_ros.policies.memvla_high_level import MemVlaHighLevel
from mem_vla_ros.policies.memvla_low_level import MemVlaLowLevel
from mem_vla_ros.policies.robots_model import RobotModel
from mem_vla_ros.sim.expert_policy import ExpertHighLevel, ExpertLowLevel
from mem_vla_ros.sim.world import World


@dataclass(frozen=True)
class Levels:
    """
    What plays: a checkpoint for each level, or the expert where there is none.

    :param has_high: Whether there is a high level at all.
    """

    robot: Robot
    low: Checkpoint | None
    high: Checkpoint | None
    has_high: bool

    @staticmethod
    def load(robot: Robot, low: str, high: str) -> 'Levels':
        """
        Load the checkpoint folders.

        :param high: Empty for no high level.
        :raises CheckpointError: if a folder is not whole.
        """
        loaded = [Checkpoint.from_pretrained(folder) if folder not in ('', EXPERT) else None
                  for folder in (low, high)]
        return Levels(robot, *loaded, has_high=bool(high))

    def low_level(
        self, world: World, seed: int, model: RobotModel | None = None,
    ) -> LowLevelPolicy:
        """Return the low level of one episode; the seed fixes its noise."""
        if self.low is None:
            return _SeeingLowLevel(world, self.robot)
        return MemVlaLowLevel(self.low, self.robot, seed=seed, model=model)

    def high_level(
        self, world: World, model: RobotModel | None = None,
    ) -> HighLevelPolicy | None:
        """Return the high level of one episode."""
        if not self.has_high:
            return None
        if self.high is None:
            return _SeeingHighLevel(world)
        return MemVlaHighLevel(self.high, model=model)


class _SeeingHighLevel(ExpertHighLevel):
    """The expert's decisions about the world as it is when it is asked."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    def decide(
        self, observation: Observation, memory: str, goal: str, subtask: str,
    ) -> Decision:
        """Return the next subtask and the memory to keep."""
        self.set_oracle(self._world.oracle())
        return super().decide(observation, memory, goal, subtask)


class _SeeingLowLevel(ExpertLowLevel):
    """The expert's motions; it rests where a subtask cannot be carried out."""

    def __init__(self, world: World, robot: Robot) -> None:
        super().__init__(robot)
        self._world = world

    def predict(
        self, observation: Observation, subtask: str, goal: str, committed: Committed | None,
    ) -> ActionChunk:
        """Return the chunk that carries out the subtask."""
        self.set_oracle(self._world.oracle())
        try:
            return super().predict(observation, subtask, goal, committed)
        except PolicyError:
            return ActionChunk(
                self._robot.joint_names, observation.stamp, self.dt,
                np.tile(observation.position, (self.horizon, 1)))
