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

"""A checkpoint to begin a training run with."""

from dataclasses import replace

import torch

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.robot import Robot
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.config import MemVlaConfig
from mem_vla_ros.models.fast_tokens import FastTokenizer
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.normalisation import Normalisation
from mem_vla_ros.models.presets import preset
from mem_vla_ros.models.text_tokenizer import train_tokenizer
from mem_vla_ros.policies.low_level_prompt import low_level_prompt
from mem_vla_ros.policies.memvla_high_level_text import high_level_question, trained_answers
from mem_vla_ros.training.data_scaling import sample_chunks, scale_of_data
from mem_vla_ros.training.episode import EpisodeSource
from mem_vla_ros.training.train_config import TrainConfig


def make_checkpoint(config: TrainConfig, episodes: EpisodeSource, robot: Robot) -> Checkpoint:
    """
    Return the checkpoint that the settings name, or a random one with a tokenizer of its own.

    A continued checkpoint keeps its tokenizer, and its scaling unless told otherwise.
    """
    if config.start_from:
        return _continued(config, episodes, robot)
    torch.manual_seed(config.seed)
    model_config = preset(config.model, **config.model_changes)
    texts = sorted(episodes.texts())
    forms = [low_level_prompt('', ''), high_level_question('', '', ''),
             trained_answers().write('x', 'y', 'z'), trained_answers().write('x', 'y', 'y')]
    tokenizer = train_tokenizer(texts + forms * 20, model_config.text_config.vocab_size)
    scaling = scale_of_data(config, episodes, robot, model_config.horizon)
    fast = _fit_fast(model_config, episodes, scaling) if model_config.fast_vocab_size else None
    return Checkpoint(MemVLA(model_config), tokenizer, scaling, fast)


def _fit_fast(
    config: MemVlaConfig, episodes: EpisodeSource, scaling: Normalisation,
) -> FastTokenizer:
    positions, now = sample_chunks(episodes, config.horizon)
    chunks = scaling.normalise_chunk(positions, now, config.action_dim)
    return FastTokenizer.fit(chunks.numpy(), config.fast_vocab_size)


def _continued(config: TrainConfig, episodes: EpisodeSource, robot: Robot) -> Checkpoint:
    """Return the old checkpoint; memory, frames and stride may change, weights stay."""
    old = Checkpoint.from_pretrained(config.start_from)
    model, scaling = old.model, old.normalisation
    if config.model_changes:
        model = MemVLA(replace(model.config, **config.model_changes))
        _take_weights(model, old.model)
    if config.rescale:
        scaling = scale_of_data(config, episodes, robot, model.config.horizon)
    return Checkpoint(model, old.tokenizer, scaling, old.fast)


def _take_weights(model: MemVLA, old: MemVLA) -> None:
    """Copy all weights; those that only the new model has begin as they were made."""
    missing, unexpected = model.load_state_dict(old.state_dict(), strict=False)
    if unexpected or set(missing) - {'expert.motion_in.weight'}:
        raise ConfigError(
            f'model_changes do not fit the weights of start_from: missing {missing}, '
            f'too many {unexpected}.')
