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

"""Tests of the sequence that the model reads: masks, positions, caches."""

from dataclasses import replace

import pytest
import torch

from mem_vla_ros.models.action_expert import time_encoding
from mem_vla_ros.models.attention_masks import block_mask, positions_of
from mem_vla_ros.models.errors import ShapeError
from mem_vla_ros.models.gemma_attention import attend, layer_contexts, project


def test_prefix_reads_in_blocks_and_text_is_causal():
    mask = block_mask(torch.tensor([0, 0, 1, 2]), torch.tensor([[True, False, True, True]]))[0]
    assert mask.int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 1, 1]]


def test_positions_skip_padding():
    assert positions_of(torch.tensor([[True, False, True, True]])).tolist() == [[0, 0, 1, 2]]


@pytest.mark.parametrize('window', ['full', 'gemma'])
@torch.no_grad()
def test_cached_prefix_equals_one_joint_pass(small_model, clip_batch, window, prefix_of):
    model, batch = small_model(attention_window=window), clip_batch()
    batch = replace(batch, text_valid=torch.tensor([[True] * 5, [True] * 3 + [False] * 2]))
    chunk, tau = torch.randn(2, 6, 4), torch.tensor([[0.3], [0.9]])
    cached = model.denoise(prefix_of(model, batch), chunk, tau)
    torch.testing.assert_close(cached, joint_pass(model, batch, chunk, tau), atol=1e-5, rtol=0)


@torch.no_grad()
def test_chunks_that_share_a_prefix_do_not_read_each_other(small_model, clip_batch, prefix_of):
    model = small_model(expert_reads_motion=True)
    prefix = prefix_of(model, clip_batch())
    chunks, tau = torch.randn(2, 3, 6, 4), torch.rand(2, 3, 1)
    together = model.denoise(prefix, chunks.flatten(0, 1), tau.flatten(0, 1)).view_as(chunks)
    for sample in range(3):
        alone = model.denoise(prefix, chunks[:, sample], tau[:, sample])
        torch.testing.assert_close(together[:, sample], alone, atol=1e-5, rtol=0)


def joint_pass(model, batch, chunk, tau):
    """Return the expert's output with backbone and expert in one attention, as pi0 is drawn."""
    images = model.encode_clip(batch.images, batch.times, batch.valid)
    embeds, valid, blocks = model._embed(
        images, batch.states, batch.state_valid, batch.text_ids, batch.text_valid)
    length, rows = embeds.shape[1], chunk.shape[1]
    valid = torch.cat([valid, torch.ones(2, rows, dtype=torch.bool)], dim=1)
    blocks = torch.cat([blocks, torch.full((rows,), int(blocks[-1]) + 1)])
    place = positions_of(valid)
    contexts = layer_contexts(
        model.backbone, block_mask(blocks, valid), place, place, model._windowed)
    expert, hidden = model.expert, embeds
    condition = expert.time_mlp(time_encoding(tau, expert.width))
    acts = expert.action_in(chunk)
    for kind, back, own in zip(
            expert.layer_types, model.backbone.layers, expert.layers, strict=True):
        cos, sin = contexts[kind].rope
        mask = contexts[kind].mask
        q, k, v = project(
            back.self_attn, back.input_layernorm(hidden), (cos[:, :length], sin[:, :length]))
        normed, gate = own.norm1(acts, condition)
        q2, k2, v2 = project(own.self_attn, normed, (cos[:, length:], sin[:, length:]))
        both = torch.cat([k, k2], dim=2), torch.cat([v, v2], dim=2)
        hidden = hidden + back.post_attention_layernorm(
            attend(back.self_attn, q, both, mask[:, :, :length]))
        hidden = hidden + back.post_feedforward_layernorm(
            back.mlp(back.pre_feedforward_layernorm(hidden)))
        acts = acts + gate * attend(own.self_attn, q2, both, mask[:, :, length:])
        normed, gate = own.norm2(acts, condition)
        acts = acts + gate * own.mlp(normed)
    return expert.action_out(expert.norm(acts, condition)[0])


@torch.no_grad()
def test_sampling_leaves_the_prefix_as_it_was(small_model, clip_batch, prefix_of):
    model = small_model()
    prefix, noise = prefix_of(model, clip_batch()), torch.randn(2, 6, 4)
    before = [k.clone() for k, _ in prefix.keys_values]
    first = model.sample_actions(prefix, noise=noise)
    assert torch.equal(model.sample_actions(prefix, noise=noise), first)
    assert all(torch.equal(a, k) for a, (k, _) in zip(before, prefix.keys_values, strict=True))


@torch.no_grad()
def test_missing_camera_and_padding_have_no_influence(small_model, clip_batch, prefix_of):
    model, batch = small_model(), clip_batch()
    batch.valid[:, 1] = False
    batch.state_valid[:, 0] = False
    text_valid = torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
    noise = torch.randn(2, 6, 4)
    before = model.sample_actions(prefix_of(model, replace(batch, text_valid=text_valid)),
                                  noise=noise)
    images, states, text = batch.images.clone(), batch.states.clone(), batch.text_ids.clone()
    images[:, 1], states[:, 0], text[1, 2:] = 0, 99, 7
    changed = replace(batch, images=images, states=states, text_ids=text, text_valid=text_valid)
    assert torch.equal(model.sample_actions(prefix_of(model, changed), noise=noise), before)
    short = model.prefix(
        model.encode_clip(images[1:], batch.times[1:], batch.valid[1:]), states[1:],
        batch.state_valid[1:], text[1:, :2])
    torch.testing.assert_close(
        model.sample_actions(short, noise=noise[1:]), before[1:], atol=1e-5, rtol=0)


def test_wrong_image_shape_is_refused(small_model, clip_batch):
    batch = clip_batch()
    with pytest.raises(ShapeError, match='Got'):
        small_model().encode_clip(batch.images[..., :8], batch.times, batch.valid)
