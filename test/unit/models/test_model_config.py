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

"""Tests of model configurations and presets."""

import json

import pytest
import torch

from mem_vla_ros.models.config import MemVlaConfig
from mem_vla_ros.models.errors import ModelConfigError
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.presets import preset, PRESETS


def count(module: torch.nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


def on_meta(name: str) -> MemVLA:
    with torch.device('meta'):
        return MemVLA(preset(name))


def test_tiny_has_one_to_ten_million_parameters():
    assert 1e6 < count(MemVLA(preset('tiny'))) < 10e6


def test_paper_size_has_an_expert_of_860_million():
    model = on_meta('gemma3-4b')
    experts = count(model.expert)
    print(f'gemma3-4b: expert {experts / 1e6:.1f} M, all {count(model) / 1e9:.2f} B')
    assert abs(experts / 860e6 - 1) < 0.01
    assert 3.8e9 < count(model.backbone) < 4.0e9
    assert len(model.vision.tower.embeddings.position_embedding.weight) == 32 * 32
    assert model.config.tokens_per_image == 256
    # Positions of global layers are stretched by 8 in the 4B checkpoint.
    rope = model.backbone.config.rope_parameters
    assert rope['full_attention']['factor'] == 8
    assert rope['sliding_attention']['rope_theta'] == 10_000


def test_small_gemma_has_the_published_text_size():
    assert abs(count(on_meta('gemma3-270m').backbone) / 268e6 - 1) < 0.01


@pytest.mark.parametrize('name', PRESETS)
def test_preset_survives_json(name):
    config = preset(name)
    assert MemVlaConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


def test_unknown_preset_is_refused():
    with pytest.raises(ModelConfigError, match='tiny'):
        preset('gemma3-12b')


def test_unknown_setting_is_answered_with_the_nearest():
    with pytest.raises(ModelConfigError, match="'strid_s'.*stride_s"):
        MemVlaConfig.from_dict({'strid_s': 1.0})


@pytest.mark.parametrize(('changes', 'message'), [
    ({'memory': 'all'}, 'memory'),
    ({'position_mode': 'absolute'}, 'position_mode'),
    ({'prediction': 'eps'}, 'prediction'),
    ({'attention_window': 'half'}, 'attention_window'),
    ({'frames': 0}, 'frames'),
    ({'rtc_max_delay': 16}, 'rtc_max_delay'),
    ({'knowledge_insulation': True}, 'FAST'),
    ({'tokens_per_image': 5}, 'square'),
    ({'tokens_per_image': 9}, 'square'),
])
def test_contradictions_are_refused(changes, message):
    with pytest.raises(ModelConfigError, match=message):
        preset('tiny', **changes)


@pytest.mark.parametrize(('memory', 'images', 'states'), [
    ('video', 6, 6), ('none', 1, 1), ('pool', 6, 1), ('proprio', 1, 6)])
def test_memory_variant_decides_what_is_remembered(memory, images, states):
    config = preset('tiny', memory=memory)
    assert (config.image_frames, config.state_frames) == (images, states)
