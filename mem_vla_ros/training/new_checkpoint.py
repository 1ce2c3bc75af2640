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

import numpy as np
import torch

from mem_vla_ros.core.robot import Robot
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.normalisation import Normalisation, Scaling
from mem_vla_ros.models.presets import preset
from mem_vla_ros.models.text_tokenizer import train_tokenizer
from mem_vla_ros.policies.low_level_prompt import low_level_prompt
from mem_vla_ros.policies.memvla_high_level_text import high_level_question, trained_answers
from mem_vla_ros.training.episode import EpisodeSource
from mem_vla_ros.training.train_config import TrainConfig

# Quantiles do not change with more episodes than this.
_EPISODES_MEASURED = 500


def make_checkpoint(config: TrainConfig, episodes: EpisodeSource, robot: Robot) -> Checkpoint:
    """
    Return the checkpoint that the settings name, or a random one with a tokenizer of its own.

    A continued checkpoint keeps its tokenizer and its scaling, whatever the new data are.
    """
    if config.start_from:
        return _continued(config)
    torch.manual_seed(config.seed)
    model_config = preset(config.model, **config.model_changes)
    texts = sorted(episodes.texts())
    forms = [low_level_prompt('', ''), high_level_question('', '', ''),
             trained_answers().write('x', 'y', 'z'), trained_answers().write('x', 'y', 'y')]
    tokenizer = train_tokenizer(texts + forms * 20, model_config.text_config.vocab_size)
    return Checkpoint(MemVLA(model_config), tokenizer, _normalisation(config, episodes, robot))


def _normalisation(config: TrainConfig, episodes: EpisodeSource, robot: Robot) -> Normalisation:
    if config.normalise == 'ranges':
        scaling = Scaling(tuple(robot.limits.lower.tolist()), tuple(robot.limits.upper.tolist()))
        return Normalisation(scaling, scaling, 'ranges')
    chosen = np.linspace(0, len(episodes) - 1, min(len(episodes), _EPISODES_MEASURED)).astype(int)
    measured = [episodes[int(index)] for index in chosen]
    state, action = (
        Scaling.from_quantiles(torch.from_numpy(np.concatenate(rows)))
        for rows in ([item.joints for item in measured], [item.actions for item in measured]))
    return Normalisation(state, action, 'quantiles')


def _continued(config: TrainConfig) -> Checkpoint:
    """Return the old checkpoint; memory, frames and stride may change, weights stay."""
    old = Checkpoint.from_pretrained(config.start_from)
    if not config.model_changes:
        return old
    model = MemVLA(replace(old.model.config, **config.model_changes))
    model.load_state_dict(old.model.state_dict())
    return Checkpoint(model, old.tokenizer, old.normalisation, old.fast)
