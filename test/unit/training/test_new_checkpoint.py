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


import numpy as np
from support.node_graph import ROBOT_FILE
import torch

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.training.low_level_batch import low_level_batch
from mem_vla_ros.training.new_checkpoint import make_checkpoint
from mem_vla_ros.training.train_config import train_preset

ROBOT = load_robot(ROBOT_FILE)


def begin(episodes, **changes):
    return make_checkpoint(train_preset('debug', **changes), episodes, ROBOT)


def test_scaled_states_and_chunks_of_the_data_are_about_one(episodes):
    for relative in (True, False):
        checkpoint = begin(episodes, relative_actions=relative)
        config = train_preset('debug', history_dropout=0.0)
        batch = low_level_batch(episodes, checkpoint, config, np.random.default_rng(0))
        assert 0.2 < float(batch.actions.std()) < 1.0
        assert 0.2 < float(batch.states[batch.state_valid].std()) < 1.0


def test_ranges_of_the_joints_can_scale_too(episodes):
    scaling = begin(episodes, normalise='ranges').normalisation
    assert scaling.state.low == tuple(ROBOT.limits.lower.tolist())


def test_a_model_with_fast_tokens_gets_a_tokenizer_fitted_to_its_chunks(episodes, tmp_path):
    checkpoint = begin(
        episodes, model_changes={'fast_vocab_size': 512, 'knowledge_insulation': True})
    config = train_preset('debug')
    batch = low_level_batch(episodes, checkpoint, config, np.random.default_rng(0))
    losses = checkpoint.model.loss(batch)
    assert {'flow', 'fast'} <= set(losses) and torch.isfinite(losses['total'])


def test_a_continued_checkpoint_keeps_its_scaling_unless_told_otherwise(episodes, tmp_path):
    begin(episodes, normalise='ranges').save_pretrained(tmp_path)
    kept = begin(episodes, start_from=str(tmp_path), model_changes={'frames': 9})
    assert kept.normalisation.method == 'ranges' and kept.model.config.frames == 9
    rescaled = begin(
        episodes, start_from=str(tmp_path), rescale=True, relative_actions=True).normalisation
    assert rescaled.method == 'quantiles' and len(rescaled.row_spread) == 16
