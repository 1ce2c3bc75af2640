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

"""The part of a batch that both levels share: frames, who reads whom, and states."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.training.clip_images import stack_clips
from mem_vla_ros.training.clip_states import clip_history, clip_states
from mem_vla_ros.training.episode import Episode
from mem_vla_ros.training.frame_choice import choose_frames
from mem_vla_ros.training.train_config import TrainConfig


class Clips(NamedTuple):
    """
    Clips of several episodes, and the samples in them.

    :param samples: Episode and recorded step of each sample, in the order of all sample tensors.
    :param tensors: Fields of TrainingBatch by name.
    """

    samples: list[tuple[Episode, int]]
    tensors: dict[str, Tensor]


def make_clips(
    episodes: Sequence[Episode], checkpoint: Checkpoint, config: TrainConfig,
    rng: np.random.Generator,
) -> Clips:
    """Return clips in which every chosen frame of every episode is a sample."""
    model = checkpoint.model.config
    clips = [
        choose_frames(episode, model.stride_s, config.frame_jitter, config.clip_frames, rng)
        for episode in episodes]
    images, times, valid = stack_clips(episodes, clips, model.cameras)
    steps = torch.tensor([
        (row, column) for row, clip in enumerate(clips) for column in range(len(clip))])
    history = clip_history(times, valid, model, steps, config.history_dropout, rng)
    states, state_valid = clip_states(episodes, clips, checkpoint, history, steps)
    samples = [(episode, int(step)) for episode, clip in zip(episodes, clips, strict=True)
               for step in clip]
    return Clips(samples, {
        'images': images, 'times': times, 'valid': valid, 'steps': steps, 'history': history,
        'states': states, 'state_valid': state_valid})
