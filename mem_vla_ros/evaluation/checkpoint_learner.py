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

from mem_vla_ros.core.errors import PolicyError
from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.core.types import FloatArray
from mem_vla_ros.evaluation.result_file import weights_hash
from mem_vla_ros.evaluation.rollout import feel, history_of, observe, RolloutSettings, see
from mem_vla_ros.sim.world import World


@dataclass(frozen=True)
class CheckpointLearnerMaker:
    """
    Makes the learner in the process that needs it.

    :param high: Checkpoint folder of its high level; empty for a learner that is told what to do.
    """

    folder: str
    robot_file: str
    high: str = ''

    @property
    def weights(self) -> str:
        """Return the hashes of its weights."""
        return ' '.join(weights_hash(folder) for folder in (self.folder, self.high) if folder)

    def __call__(self) -> 'CheckpointLearner':
        """Load the checkpoints."""
        return CheckpointLearner(self.folder, self.robot_file, self.high)


class CheckpointLearner:
    """Sees, decides and drives as in an evaluation."""

    def __init__(self, folder: str, robot_file: str, high: str = '') -> None:
        import torch

        from mem_vla_ros.evaluation.levels import Levels
        torch.set_num_threads(1)
        self._levels = Levels.load(load_robot(robot_file), folder, high)

    def reset(self, world: World, seed: int) -> None:
        """Begin an episode; the seed fixes the noise."""
        self._low = self._levels.low_level(world, seed)
        self._high = self._levels.high_level(world)
        self._histories = [
            history_of(world, level) for level in (self._low, self._high) if level is not None]

    def see(self, world: World) -> None:
        """Keep the present frame and joints."""
        see(world, self._histories)
        feel(world, self._histories)

    def drive(self, world: World, subtask: str) -> list[FloatArray]:
        """Return as many references as an evaluation would execute."""
        chunk = self._low.predict(
            observe(world, self._histories[0]), subtask, world.goal, None)
        return list(chunk.positions[1:1 + RolloutSettings.execution_rows])

    def decide(self, world: World, subtask: str, memory: str) -> tuple[str, str] | None:
        """Return what its high level decides; it stays with the last decision without answer."""
        if self._high is None:
            return None
        try:
            decision = self._high.decide(
                observe(world, self._histories[1]), memory, world.goal, subtask)
        except PolicyError:
            return subtask, memory
        return decision.subtask, decision.memory
