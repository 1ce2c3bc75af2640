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
from mem_vla_ros.models.prefix import ImageTokens
from mem_vla_ros.models.rtc_guidance import Guidance
from mem_vla_ros.models.text_tokenizer import encode
from mem_vla_ros.policies.frame_stream import stream_of
from mem_vla_ros.policies.low_level_prompt import low_level_prompt
from mem_vla_ros.policies.observation_tensors import image_tensors


class MemVlaLowLevel:
    """
    Samples chunks from a MemVLA.

    :param chunking: ``rtc_guided`` or ``rtc_trained`` say how a running chunk is honoured;
        others ignore it.
    :param execution_horizon: Rows at the end of a chunk that guidance leaves free.
    :param jacobian: ``identity`` needs no backward pass, and works where a network that predicts
        clean chunks barely depends on the noisy one; ``vjp`` is the paper's.
    :param seed: Fixes the noise, so that equal observations give equal chunks.
    """

    def __init__(
        self, checkpoint: Checkpoint, robot: Robot, chunking: str = 'hard',
        execution_horizon: int = 4, jacobian: str = 'identity', seed: int = 0,
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
        self._noise = torch.Generator().manual_seed(seed)
        self._stream = stream_of(checkpoint.model)

    @classmethod
    def from_folder(cls, folder: Path | str, robot: Robot, **options: object) -> 'MemVlaLowLevel':
        """Load a checkpoint folder; :raises CheckpointError: if it is not whole."""
        return cls(Checkpoint.from_pretrained(folder), robot, **options)  # type: ignore[arg-type]

    def reset(self) -> None:
        """Forget the episode."""
        if self._stream is not None:
            self._stream.reset()

    @torch.no_grad()
    def predict(
        self, observation: Observation, subtask: str, goal: str, committed: Committed | None,
    ) -> ActionChunk:
        """Return a sampled chunk inside the joint limits."""
        model, scaling = self._checkpoint.model, self._checkpoint.normalisation
        joints = torch.from_numpy(observation.joints.positions)[None]  # (1, K, J)
        states = scaling.state.normalise(joints, model.config.state_dim)
        ids = encode(self._checkpoint.tokenizer, low_level_prompt(goal, subtask))
        prefix = model.prefix(
            self._image_tokens(observation), states,
            torch.from_numpy(observation.joints.valid)[None], torch.tensor([ids]),
            velocity=self._velocity(observation))
        noise = torch.randn(
            1, model.config.horizon, model.config.action_dim, generator=self._noise)
        chunk = model.sample_actions(
            prefix, noise=noise, **self._running(committed, joints[:, -1]))
        positions = scaling.denormalise_chunk(chunk, joints[:, -1])[0].numpy()
        return ActionChunk(
            self._robot.joint_names, observation.stamp, self.dt, self._within_limits(positions))

    def _velocity(self, observation: Observation) -> Tensor | None:
        if observation.velocity is None:
            return None
        return self._checkpoint.normalisation.state.normalise_rate(
            torch.from_numpy(observation.velocity)[None],
            self._checkpoint.model.config.state_dim)

    def _image_tokens(self, observation: Observation) -> ImageTokens:
        if self._stream is not None:
            return self._stream.tokens(observation)
        model = self._checkpoint.model
        return model.encode_clip(*image_tensors(observation, model.config.cameras))

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
