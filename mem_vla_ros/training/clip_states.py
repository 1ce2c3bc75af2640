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

"""Which frames and states each sample of a clip reads."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.config import MemVlaConfig
from mem_vla_ros.models.history_mask import stride_mask
from mem_vla_ros.training.episode import Episode


def clip_history(
    times: Tensor, valid: Tensor, model: MemVlaConfig, steps: Tensor, dropout: float,
    rng: np.random.Generator,
) -> Tensor:
    """
    Return who reads whom, bool (E, 1, T, T).

    :param dropout: Share of samples that read their own frame alone.
    """
    history = stride_mask(times, valid[:, :1], model.frames, model.stride_s)
    own = torch.eye(times.shape[-1], dtype=torch.bool)
    forgets = torch.from_numpy(rng.random(len(steps)) < dropout)
    for episode, frame in steps[forgets].tolist():
        history[episode, :, frame] = own[frame]
    return history


def clip_states(
    episodes: Sequence[Episode], clips: Sequence[np.ndarray], checkpoint: Checkpoint,
    history: Tensor, steps: Tensor,
) -> tuple[Tensor, Tensor]:
    """Return the normalised states that each sample reads, newest last, and which exist."""
    model = checkpoint.model.config
    states = torch.zeros(len(steps), model.frames, model.state_dim)
    valid = torch.zeros(len(steps), model.frames, dtype=torch.bool)
    known = [checkpoint.normalisation.state.normalise(
        torch.from_numpy(np.asarray(episode.joints[clip], dtype=np.float64)), model.state_dim)
        for episode, clip in zip(episodes, clips, strict=True)]
    for sample, (episode, frame) in enumerate(steps.tolist()):
        read = history[episode, 0, frame].nonzero()[:, 0]
        states[sample, -len(read):] = known[episode][read]
        valid[sample, -len(read):] = True
    return states, valid
