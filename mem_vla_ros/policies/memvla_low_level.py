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

"""Backend ``memvla`` of the low level: a checkpoint folder of this project's model."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.robot import Robot
from mem_vla_ros.core.types import ActionChunk, Committed, FloatArray, Observation
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.rtc_guidance import Guidance
from mem_vla_ros.policies.low_level_prompt import low_level_prompt
from mem_vla_ros.policies.robots_model import ChunkQuestion, RobotModel, SingleRobotModel


class MemVlaLowLevel:
    """
    Samples chunks from a MemVLA.

    :param chunking: ``rtc_guided`` or ``rtc_trained`` say how a running chunk is honoured;
        others ignore it.
    :param execution_horizon: Rows at the end of a chunk that guidance leaves free.
    :param jacobian: ``identity`` needs no backward pass, and works where a network that predicts
        clean chunks barely depends on the noisy one; ``vjp`` is the paper's.
    :param seed: Fixes the noise of every episode, so that equal observations give equal chunks.
    :param model: What answers for the checkpoint; by default a model of this robot alone.
    """

    def __init__(
        self, checkpoint: Checkpoint, robot: Robot, chunking: str = 'hard',
        execution_horizon: int = 4, jacobian: str = 'identity', seed: int = 0,
        model: RobotModel | None = None,
    ) -> None:
        config = checkpoint.model.config
        _check_robot(checkpoint, robot)
        if chunking == 'rtc_trained' and not config.rtc_max_delay:
            raise ConfigError(
                'chunking rtc_trained needs a checkpoint trained for it (rtc_max_delay above 0). '
                'Got 0; use rtc_guided.')
        self.dt = config.action_dt_s
        self.horizon = config.horizon
        self.frames = config.frames
        self.stride = config.stride_s
        self.image_size = config.vision_config.image_size
        self._checkpoint = checkpoint
        self._robot = robot
        self._chunking = chunking
        self._execution_horizon = execution_horizon
        self._jacobian = jacobian
        self._seed = seed
        self._noise = torch.Generator().manual_seed(seed)
        self._model = model or SingleRobotModel(checkpoint)

    @classmethod
    def from_folder(cls, folder: Path | str, robot: Robot, **options: object) -> 'MemVlaLowLevel':
        """Load a checkpoint folder; :raises CheckpointError: if it is not whole."""
        return cls(Checkpoint.from_pretrained(folder), robot, **options)  # type: ignore[arg-type]

    def reset(self) -> None:
        """Forget the episode."""
        self._noise.manual_seed(self._seed)
        self._model.reset()

    @torch.no_grad()
    def predict(
        self, observation: Observation, subtask: str, goal: str, committed: Committed | None,
    ) -> ActionChunk:
        """Return a sampled chunk inside the joint limits."""
        config, scaling = self._checkpoint.model.config, self._checkpoint.normalisation
        now = torch.from_numpy(observation.joints.positions[-1])[None]  # (1, J)
        noise = torch.randn(1, config.horizon, config.action_dim, generator=self._noise)
        chunk = self._model.sample(ChunkQuestion(
            observation, low_level_prompt(goal, subtask), noise, self._running(committed, now)))
        positions = scaling.denormalise_chunk(chunk, now)[0].numpy()
        return ActionChunk(
            self._robot.joint_names, observation.stamp, self.dt, self._within_limits(positions))

    def _running(self, committed: Committed | None, now: Tensor) -> dict[str, object]:
        """Return how the sampler is told about the running chunk."""
        if committed is None or not self._chunking.startswith('rtc'):
            return {}
        config = self._checkpoint.model.config
        rows = self._checkpoint.normalisation.normalise_chunk(
            torch.from_numpy(committed.positions)[None], now, config.action_dim)
        if self._chunking == 'rtc_trained':
            return {'committed': rows[:, :min(committed.delay, config.rtc_max_delay)]}
        return {'guidance': Guidance(
            rows, committed.delay, self._execution_horizon, beta=float(config.flow_steps),
            jacobian=self._jacobian)}

    def _within_limits(self, positions: FloatArray) -> FloatArray:
        """Return rows inside position and velocity limits; a model may overshoot a little."""
        limits = self._robot.limits
        rows = limits.clip(positions)
        reach = limits.velocity * self.dt
        for index in range(1, len(rows)):
            rows[index] = np.clip(rows[index], rows[index - 1] - reach, rows[index - 1] + reach)
        return rows


def _check_robot(checkpoint: Checkpoint, robot: Robot) -> None:
    config = checkpoint.model.config
    missing = [name for name in config.cameras if name not in robot.camera_names]
    if missing:
        raise ConfigError(
            f'The checkpoint sees cameras {list(config.cameras)}; the robot file lacks {missing}. '
            f'It has {list(robot.camera_names)}.')
    joints = checkpoint.normalisation.state.size
    if joints != len(robot.joint_names):
        raise ConfigError(
            f'The checkpoint moves {joints} joints, the robot file has {len(robot.joint_names)}.')
