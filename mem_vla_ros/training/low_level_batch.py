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

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.models.batch import TrainingBatch
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.text_tokenizer import encode, pad_ids
from mem_vla_ros.policies.low_level_prompt import low_level_prompt
from mem_vla_ros.training.clips import make_clips
from mem_vla_ros.training.episode import Episode
from mem_vla_ros.training.train_config import TrainConfig


def low_level_batch(
    episodes: Sequence[Episode], checkpoint: Checkpoint, config: TrainConfig,
    rng: np.random.Generator,
) -> TrainingBatch:
    """Return a batch in which every chosen frame of every episode is a target."""
    model = checkpoint.model.config
    # CHECK: every dimension has its weight
    if len(config.action_weights) not in (0, model.action_dim):
        raise ConfigError(
            f'action_weights must be empty or have {model.action_dim} values. '
            f'Got {len(config.action_weights)}.')
    samples, tensors = make_clips(episodes, checkpoint, config, rng)
    told = [
        _told(episode, step, config, share)
        for (episode, step), share in zip(samples, rng.random(len(samples)), strict=True)]
    ids, valid = pad_ids([
        encode(checkpoint.tokenizer, low_level_prompt(episode.goal, subtask))
        for (episode, _), subtask in zip(samples, told, strict=True)])
    # Who is told what to do stays where it ends: what comes next is for the high level to say.
    spans = [
        (episode, step, episode.end_of_subtask(step) if subtask else None)
        for (episode, step), subtask in zip(samples, told, strict=True)]
    rows = np.stack([
        episode.references(step, model.horizon, end) for episode, step, end in spans])
    now = torch.from_numpy(np.stack([episode.joints[step] for episode, step in samples]))
    actions = checkpoint.normalisation.normalise_chunk(
        torch.from_numpy(rows), now, model.action_dim)
    velocity = checkpoint.normalisation.state.normalise_rate(torch.from_numpy(
        np.stack([episode.velocity(step) for episode, step in samples])), model.state_dim)
    taught = torch.from_numpy(np.stack(
        [episode.rows_taught(step, model.horizon, end) for episode, step, end in spans]))
    fast_ids = fast_valid = None
    if checkpoint.fast is not None:
        fast_ids, fast_valid = pad_ids(
            [checkpoint.fast.encode(chunk.numpy()) for chunk in actions])
        fast_valid &= taught.all(dim=1, keepdim=True)
    return TrainingBatch(
        **tensors, text_ids=ids, text_valid=valid, velocity=velocity, actions=actions,
        action_valid=taught[..., None],
        action_weight=_weights(config, model.horizon, model.action_dim),
        fast_ids=fast_ids, fast_valid=fast_valid)


def _weights(config: TrainConfig, rows: int, width: int) -> torch.Tensor:
    """Return how much each number of a chunk counts, (rows, width)."""
    of_row = config.row_decay ** torch.arange(rows)
    of_joint = torch.tensor(config.action_weights or (1.0,) * width)
    return of_row[:, None] * of_joint


def _told(episode: Episode, step: int, config: TrainConfig, share: float) -> str:
    """Return the subtask, or nothing where it is left out."""
    silent = share < config.subtask_dropout and episode.task not in config.told_tasks
    return '' if silent else episode.driven_by[step]
