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

"""Batches for the low level: whole episodes in, action chunks as targets."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from mem_vla_ros.models.batch import TrainingBatch
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.text_tokenizer import encode, pad_ids
from mem_vla_ros.policies.low_level_prompt import low_level_prompt
from mem_vla_ros.training.clip_images import stack_clips
from mem_vla_ros.training.clip_states import clip_history, clip_states
from mem_vla_ros.training.episode import Episode
from mem_vla_ros.training.frame_choice import choose_frames
from mem_vla_ros.training.train_config import TrainConfig


def low_level_batch(
    episodes: Sequence[Episode], checkpoint: Checkpoint, config: TrainConfig,
    rng: np.random.Generator,
) -> TrainingBatch:
    """Return a batch in which every chosen frame of every episode is a target."""
    model = checkpoint.model.config
    clips = [choose_frames(episode, model.stride_s, config.frame_jitter, rng)
             for episode in episodes]
    images, times, valid = stack_clips(episodes, clips, model.cameras)
    steps = torch.tensor([
        (row, column) for row, clip in enumerate(clips) for column in range(len(clip))])
    history = clip_history(times, valid, model, steps, config.history_dropout, rng)
    states, state_valid = clip_states(episodes, clips, checkpoint, history, steps)
    prompts = [
        low_level_prompt(
            episode.goal,
            '' if rng.random() < config.subtask_dropout else episode.subtasks[step])
        for episode, clip in zip(episodes, clips, strict=True) for step in clip]
    ids, text_valid = pad_ids([encode(checkpoint.tokenizer, prompt) for prompt in prompts])
    rows = np.stack([
        episode.references(step, model.horizon)
        for episode, clip in zip(episodes, clips, strict=True) for step in clip])
    actions = checkpoint.normalisation.action.normalise(
        torch.from_numpy(rows), model.action_dim)
    fast_ids, fast_valid = _fast_tokens(checkpoint, actions)
    return TrainingBatch(
        images=images, times=times, valid=valid, steps=steps, history=history,
        states=states, state_valid=state_valid, text_ids=ids, text_valid=text_valid,
        actions=actions, fast_ids=fast_ids, fast_valid=fast_valid)


def _fast_tokens(
    checkpoint: Checkpoint, actions: Tensor,
) -> tuple[Tensor | None, Tensor | None]:
    if checkpoint.fast is None:
        return None, None
    return pad_ids([checkpoint.fast.encode(chunk.numpy()) for chunk in actions])
