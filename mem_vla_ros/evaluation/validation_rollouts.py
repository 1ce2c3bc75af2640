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


"""How well a low level does while it is being trained: rollouts on validation seeds."""

from collections.abc import Sequence

from mem_vla_ros.core.robot import Robot
from mem_vla_ros.evaluation.rollout import play_episode
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.policies.memvla_low_level import MemVlaLowLevel
from mem_vla_ros.sim.seeds import VALIDATION
from mem_vla_ros.sim.world import World


class ValidationRollouts:
    """
    Plays a few episodes of each task, told the goal alone.

    :param count: Episodes of each task.
    """

    def __init__(self, tasks: Sequence[str], count: int, robot: Robot) -> None:
        self._tasks = tuple(tasks)
        self._seeds = VALIDATION[:count]
        self._robot = robot

    def __call__(self, checkpoint: Checkpoint) -> dict[str, float]:
        """Return the share of solved episodes by task."""
        return {task: self._share_solved(task, checkpoint) for task in self._tasks}

    def _share_solved(self, task: str, checkpoint: Checkpoint) -> float:
        world = World(task, image_size=checkpoint.model.config.vision_config.image_size)
        try:
            solved = [
                play_episode(world, seed, MemVlaLowLevel(checkpoint, self._robot))['success']
                for seed in self._seeds]
        finally:
            world.close()
        return sum(solved) / len(solved)
