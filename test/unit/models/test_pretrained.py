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

"""Tests of loading pretrained parts, from small checkpoints made here."""

import pytest
import torch
from transformers import (
    Gemma3ForCausalLM,
    Gemma3ForConditionalGeneration,
    SiglipConfig,
    SiglipModel,
)

from mem_vla_ros.models.errors import CheckpointError
from mem_vla_ros.models.pretrained import load_gemma, load_siglip, resample_positions


def changed_config(config, **vision):
    gemma = config.gemma_config
    for name, value in vision.items():
        setattr(gemma.vision_config, name, value)
    return gemma


def same(ours, theirs) -> bool:
    theirs = dict(theirs.named_parameters())
    return all(torch.equal(p, theirs[name]) for name, p in ours.named_parameters())


def test_gemma_folder_fills_tower_projector_and_backbone(small_model, tmp_path):
    model = small_model()
    gemma = Gemma3ForConditionalGeneration(changed_config(model.config))
    gemma.model.multi_modal_projector.mm_input_projection_weight.data.normal_()
    gemma.save_pretrained(tmp_path)
    load_gemma(model, tmp_path)
    assert same(model.backbone, gemma.model.language_model)
    assert same(model.vision.projector, gemma.model.multi_modal_projector)
    assert same(model.vision.tower, gemma.model.vision_tower)


def test_gemma_of_another_resolution_is_resampled(small_model, tmp_path):
    model = small_model()
    gemma = Gemma3ForConditionalGeneration(changed_config(model.config, image_size=32))
    gemma.save_pretrained(tmp_path)
    load_gemma(model, tmp_path)
    stock = gemma.model.vision_tower
    images = torch.randn(2, 3, 16, 16)
    with torch.no_grad():
        torch.testing.assert_close(
            model.vision.tower(images).last_hidden_state,
            stock(images, interpolate_pos_encoding=True).last_hidden_state)


def test_text_only_gemma_fills_the_backbone_alone(small_model, tmp_path):
    model = small_model()
    tower = {k: v.clone() for k, v in model.vision.state_dict().items()}
    gemma = Gemma3ForCausalLM(model.config.text_config)
    gemma.save_pretrained(tmp_path)
    load_gemma(model, tmp_path)
    assert same(model.backbone, gemma.model)
    assert all(torch.equal(v, model.vision.state_dict()[k]) for k, v in tower.items())


def test_whole_siglip_fills_the_tower(small_model, tmp_path):
    model = small_model()
    siglip = SiglipModel(SiglipConfig(
        vision_config=model.config.vision | {'vision_use_head': True},
        text_config={'hidden_size': 16, 'intermediate_size': 16, 'num_hidden_layers': 1,
                     'num_attention_heads': 2, 'vocab_size': 20}))
    siglip.save_pretrained(tmp_path)
    load_siglip(model, tmp_path)
    assert same(model.vision.tower, siglip.vision_model)


def test_source_of_another_size_is_refused(small_model, tmp_path):
    model = small_model()
    text = {**model.config.text, 'hidden_size': 32}
    Gemma3ForCausalLM(type(model.config.text_config)(**text)).save_pretrained(tmp_path)
    with pytest.raises(CheckpointError, match='embed_tokens.weight'):
        load_gemma(model, tmp_path)


def test_source_with_missing_weights_is_refused(small_model, tmp_path):
    model = small_model()
    gemma = Gemma3ForCausalLM(model.config.text_config)
    weights = gemma.state_dict()
    del weights['model.layers.1.mlp.up_proj.weight']
    gemma.save_pretrained(tmp_path, state_dict=weights)
    with pytest.raises(CheckpointError, match='layers.1.mlp.up_proj.weight'):
        load_gemma(model, tmp_path)


def test_other_kind_of_model_is_refused(small_model, siglip, tmp_path):
    siglip().save_pretrained(tmp_path)
    with pytest.raises(CheckpointError, match='siglip_vision_model'):
        load_gemma(small_model(), tmp_path)


def test_resampling_to_the_same_grid_changes_nothing():
    table = torch.randn(16, 4)
    assert torch.equal(resample_positions(table, 16), table)


def test_resampling_keeps_a_constant_table():
    torch.testing.assert_close(
        resample_positions(torch.full((16, 2), 3.0), 64), torch.full((64, 2), 3.0))
