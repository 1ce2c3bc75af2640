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

"""A checkpoint that drives in turn with the expert, while demonstrations are collected."""

from dataclasses import dataclass

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.core.types import FloatArray
from mem_vla_ros.evaluation.result_file import weights_hash
from mem_vla_ros.evaluation.rollout import feel, history_of, observe, RolloutSettings, see
from mem_vla_ros.sim.world import World


@dataclass(frozen=True)
class CheckpointLearnerMaker:
    """Makes the learner in the process that needs it."""

    folder: str
    robot_file: str

    @property
    def weights(self) -> str:
        """Return the hash of its weights."""
        return weights_hash(self.folder)

    def __call__(self) -> 'CheckpointLearner':
        """Load the checkpoint."""
        return CheckpointLearner(self.folder, self.robot_file)


class CheckpointLearner:
    """Sees and drives as in an evaluation."""

    def __init__(self, folder: str, robot_file: str) -> None:
        import torch

        from mem_vla_ros.evaluation.levels import Levels
        torch.set_num_threads(1)
        self._levels = Levels.load(load_robot(robot_file), folder, high='')

    def reset(self, world: World, seed: int) -> None:
        """Begin an episode; the seed fixes the noise."""
        self._policy = self._levels.low_level(world, seed)
        self._history = history_of(world, self._policy)

    def see(self, world: World) -> None:
        """Keep the present frame and joints."""
        see(world, [self._history])
        feel(world, [self._history])

    def drive(self, world: World, subtask: str) -> list[FloatArray]:
        """Return as many references as an evaluation would execute."""
        chunk = self._policy.predict(
            observe(world, self._history), subtask, world.goal, None)
        return list(chunk.positions[1:1 + RolloutSettings.execution_rows])
