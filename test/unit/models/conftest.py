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

"""Small random models, shared by the tests of the models."""

from collections.abc import Callable

import pytest
import torch
from torch import nn, Tensor
from transformers import SiglipVisionConfig, SiglipVisionModel

from mem_vla_ros.models.batch import TrainingBatch
from mem_vla_ros.models.config import MemVlaConfig
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.prefix import Prefix

SIZE = 16


@pytest.fixture(autouse=True)
def one_thread_and_seed():
    torch.set_num_threads(1)
    torch.manual_seed(0)


def shake(module: nn.Module, amount: float = 0.1) -> nn.Module:
    """Return the module with noise on every weight, so that nothing is zero by initialisation."""
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(torch.randn_like(weight) * amount)
    return module.eval()


@pytest.fixture
def siglip() -> Callable[..., SiglipVisionModel]:
    def build(layers: int = 5, **changes) -> SiglipVisionModel:
        sizes = {
            'hidden_size': 32, 'intermediate_size': 48, 'num_hidden_layers': layers,
            'num_attention_heads': 4, 'image_size': SIZE, 'patch_size': 4,
            'vision_use_head': False}
        return shake(SiglipVisionModel(SiglipVisionConfig(**{**sizes, **changes})))
    return build


@pytest.fixture
def small_config() -> Callable[..., MemVlaConfig]:
    def build(**changes) -> MemVlaConfig:
        sizes = {
            'vision': {
                'hidden_size': 16, 'intermediate_size': 24, 'num_hidden_layers': 4,
                'num_attention_heads': 2, 'image_size': SIZE, 'patch_size': 4},
            # Two kinds of layers, a window shorter than the prefix, grouped heads.
            'text': {
                'vocab_size': 300, 'hidden_size': 24, 'intermediate_size': 32,
                'num_hidden_layers': 3, 'num_attention_heads': 4, 'num_key_value_heads': 2,
                'head_dim': 8, 'query_pre_attn_scalar': 8, 'sliding_window': 6,
                'sliding_window_pattern': 2, 'pad_token_id': 0, 'eos_token_id': 1,
                'bos_token_id': 2},
            'tokens_per_image': 4, 'cameras': ('base', 'wrist'), 'frames': 3, 'state_dim': 5,
            'action_dim': 4, 'horizon': 6, 'expert_width': 16, 'expert_mlp': 24,
            'fast_vocab_size': 20}
        return MemVlaConfig(**{**sizes, **changes})
    return build


@pytest.fixture
def small_model(small_config) -> Callable[..., MemVLA]:
    def build(**changes) -> MemVLA:
        return shake(MemVLA(small_config(**changes)))
    return build


@pytest.fixture
def clip_batch() -> Callable[..., TrainingBatch]:
    def build(count: int = 2, frames: int = 3, **changes) -> TrainingBatch:
        values = {
            'images': torch.randint(0, 256, (count, 2, frames, 3, SIZE, SIZE)).to(torch.uint8),
            'times': torch.arange(frames).double().expand(count, 1, frames),
            'valid': torch.ones(count, 2, frames, dtype=torch.bool),
            'states': torch.randn(count, frames, 5),
            'state_valid': torch.ones(count, frames, dtype=torch.bool),
            'text_ids': torch.randint(3, 300, (count, 5)),
            'text_valid': torch.ones(count, 5, dtype=torch.bool),
            'actions': torch.randn(count, 6, 4)}
        return TrainingBatch(**{**values, **changes})
    return build


@pytest.fixture
def prefix_of() -> Callable[[MemVLA, TrainingBatch], Prefix]:
    def read(model: MemVLA, batch: TrainingBatch) -> Prefix:
        images = model.encode_clip(batch.images, batch.times, batch.valid)
        return model.prefix(
            images, batch.states, batch.state_valid, batch.text_ids, batch.text_valid)
    return read


@pytest.fixture
def losses() -> Callable[..., dict[str, Tensor]]:
    def compute(model: MemVLA, batch: TrainingBatch, **options) -> dict[str, Tensor]:
        torch.manual_seed(1)
        return model.loss(batch, **options)
    return compute
