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


"""How a run scales positions: by the ranges of the joints, or by quantiles of its data."""

import numpy as np
import torch
from torch import Tensor

from mem_vla_ros.core.robot import Robot
from mem_vla_ros.models.normalisation import Normalisation, Scaling
from mem_vla_ros.training.episode import EpisodeSource
from mem_vla_ros.training.train_config import TrainConfig

# Quantiles do not change with more episodes than this, and neighbouring steps are alike.
_EPISODES, _EVERY = 500, 5
# Below it there is only the lag of the joints behind their reference.
_LEAST_SPREAD = 0.05


def scale_of_data(
    config: TrainConfig, episodes: EpisodeSource, robot: Robot, horizon: int,
) -> Normalisation:
    """
    Return the scaling for a new model.

    Relative actions are small soon after now and large later. Each row gets a scale of its own,
    so that the rows which are executed are learned as precisely as they need to be.

    :param horizon: Rows of a chunk.
    """
    relative = tuple(
        index for index, name in enumerate(robot.joint_names)
        if config.relative_actions and name not in config.absolute_joints)
    if config.normalise == 'ranges':
        scaling = Scaling(tuple(robot.limits.lower.tolist()), tuple(robot.limits.upper.tolist()))
        return Normalisation(scaling, scaling, 'ranges', relative)
    positions, now = sample_chunks(episodes, horizon)
    origin = torch.zeros_like(now)
    origin[:, list(relative)] = now[:, list(relative)]
    chunks = positions - origin[:, None]
    action = Scaling.from_quantiles(chunks)
    return Normalisation(
        Scaling.from_quantiles(now), action, 'quantiles', relative,
        _row_spread(action.normalise(chunks)[..., list(relative)]) if relative else ())


def sample_chunks(episodes: EpisodeSource, horizon: int) -> tuple[Tensor, Tensor]:
    """Return chunks of the data (N, horizon, J), and the joints at their beginning (N, J)."""
    chosen = np.linspace(0, len(episodes) - 1, min(len(episodes), _EPISODES)).astype(int)
    positions, now = [], []
    for episode in (episodes[int(index)] for index in chosen):
        for step in range(0, len(episode), _EVERY):
            positions.append(episode.references(step, horizon))
            now.append(episode.joints[step])
    return torch.from_numpy(np.stack(positions)).double(), torch.from_numpy(np.stack(now)).double()


def _row_spread(chunks: Tensor) -> tuple[float, ...]:
    """Return twice the root mean square of each row of (N, horizon, J), not below a floor."""
    spread = 2 * chunks.square().mean(dim=(0, 2)).sqrt()
    return tuple(spread.clamp_min(_LEAST_SPREAD).tolist())
