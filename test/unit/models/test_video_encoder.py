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

"""Tests of the video encoder over unmodified ViTs."""

import copy

import pytest
import torch
import transformers

from mem_vla_ros.models.errors import ModelConfigError, UnsupportedVitError
from mem_vla_ros.models.history_mask import band_mask
from mem_vla_ros.models.temporal_encoding import temporal_encoding
from mem_vla_ros.models.video_encoder import VideoEncoder

MODES = ('window', 'relative')
SIZES = {
    'hidden_size': 32, 'intermediate_size': 48, 'num_hidden_layers': 5, 'num_attention_heads': 4,
    'image_size': 16, 'patch_size': 4}
FAMILIES = {
    'siglip': (transformers.SiglipVisionConfig, transformers.SiglipVisionModel),
    'siglip2': (transformers.Siglip2VisionConfig, transformers.Siglip2VisionModel),
    'vit': (transformers.ViTConfig, transformers.ViTModel),
    'clip': (transformers.CLIPVisionConfig, transformers.CLIPVisionModel),
    'dinov2': (transformers.Dinov2Config, transformers.Dinov2Model),
}


def build(family: str) -> transformers.PreTrainedModel:
    config, model = FAMILIES[family]
    sizes = dict(SIZES)
    if family == 'siglip2':
        sizes['num_patches'] = 25  # another grid than the image's: positions are resampled
        del sizes['image_size']
    vit = model(config(**sizes)).eval()
    with torch.no_grad():
        for weight in vit.parameters():
            weight.add_(torch.randn_like(weight) * 0.1)
    return vit


def stock(vit: transformers.PreTrainedModel, pixels: torch.Tensor) -> torch.Tensor:
    """Return the unwrapped ViT's tokens of single images."""
    if not isinstance(vit, transformers.Siglip2VisionModel):
        return vit(pixels).last_hidden_state
    patches = pixels.unfold(2, 4, 4).unfold(3, 4, 4).permute(0, 2, 3, 4, 5, 1)
    patches = patches.reshape(len(pixels), 16, -1)
    shapes = torch.tensor([[4, 4]] * len(pixels))
    return vit(patches, None, shapes).last_hidden_state


def clip(frames: int, cameras: int = 2, batch: int = 2):
    images = torch.randn(batch, cameras, frames, 3, 16, 16)
    times = torch.arange(1 - frames, 1).double().expand(batch, 1, frames)
    return images, times, torch.ones(batch, cameras, frames, dtype=torch.bool)


@pytest.mark.parametrize('dtype', [torch.float32, torch.bfloat16])
@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('family', FAMILIES)
def test_one_frame_is_bit_equal_to_the_stock_vit(family, mode, dtype):
    vit = build(family).to(dtype)
    images, times, valid = clip(1)
    with torch.no_grad():
        tokens = VideoEncoder(vit, mode).clip(images.to(dtype), times, valid)
        assert torch.equal(tokens.flatten(0, 1), stock(vit, images.flatten(0, 2).to(dtype)))


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('family', FAMILIES)
def test_masked_history_leaves_the_stock_vit_whatever_it_shows(family, mode):
    vit = build(family)
    images, times, valid = clip(4)
    valid[..., :-1] = False
    times = torch.where(valid, times, torch.nan)
    with torch.no_grad():
        tokens = VideoEncoder(vit, mode).clip(images, times, valid)
        expected = stock(vit, images[:, :, -1].flatten(0, 1))
    torch.testing.assert_close(tokens.flatten(0, 1), expected, atol=2e-6, rtol=0)


def layer_by_the_equations(layer, hidden, times, mode):
    """Return a space-time layer of SigLIP, written out frame by frame and patch by patch."""
    part = layer.self_attn
    frames, patches, width = hidden.shape
    heads, size = part.num_heads, part.head_dim
    mixed = torch.zeros_like(hidden)
    for t in range(frames):
        keys, values = [], []
        for s in range(t + 1):
            if mode == 'window':
                e = temporal_encoding(times[s] - times[-1], width)
                read = layer.layer_norm1(hidden[s] + e)
            else:
                e = temporal_encoding(times[s] - times[t], width)
                read = layer.layer_norm1(hidden[s]) + e
            keys.append(part.k_proj(read).view(patches, heads, size))
            values.append(part.v_proj(read).view(patches, heads, size))
        now = temporal_encoding(times[t] - times[-1], width) if mode == 'window' else 0
        queries = part.q_proj(layer.layer_norm1(hidden[t] + now)).view(patches, heads, size)
        for h in range(heads):
            over_time = torch.stack([
                torch.stack([queries[p, h] @ k[p, h] for k in keys]).div(size ** 0.5).softmax(0)
                @ torch.stack([v[p, h] for v in values]) for p in range(patches)])
            over_space = (queries[:, h] @ keys[-1][:, h].T / size ** 0.5).softmax(-1)
            mixed[t, :, h * size:(h + 1) * size] = over_space @ over_time
    hidden = hidden + part.out_proj(mixed)
    return hidden + layer.mlp(layer.layer_norm2(hidden))


@pytest.mark.parametrize('mode', MODES)
@torch.no_grad()
def test_layers_follow_the_written_equations(siglip, mode):
    vit = siglip(2, image_size=8)
    images, times = torch.randn(1, 1, 3, 3, 8, 8), torch.tensor([0.0, 0.7, 2.0]).double()
    hidden = vit.embeddings(images[0, 0])
    for layer in vit.encoder.layers:
        hidden = layer_by_the_equations(layer, hidden, times, mode)
    tokens = VideoEncoder(vit, mode, temporal_every=1).clip(
        images, times[None, None], torch.ones(1, 1, 3, dtype=torch.bool))
    torch.testing.assert_close(
        tokens[0, 0], vit.post_layernorm(hidden[-1]), atol=1e-5, rtol=0)


def test_encoder_adds_no_parameter_and_renames_none(siglip):
    vit = siglip()
    before = copy.deepcopy(vit.state_dict())
    encoder = VideoEncoder(vit)
    encoder.clip(*clip(3))
    assert list(vit.state_dict()) == list(before)
    assert all(torch.equal(before[k], v) for k, v in vit.state_dict().items())
    assert not isinstance(encoder, torch.nn.Module)


@pytest.mark.parametrize('mode', MODES)
@torch.no_grad()
def test_changing_a_frame_never_changes_earlier_ones(siglip, mode):
    encoder = VideoEncoder(siglip(9), mode)
    images, times, valid = clip(5)
    mask = band_mask(valid, 5)
    before = encoder._forward(images, times, mask, newest_only=False)
    images[:, :, 2] += 1
    after = encoder._forward(images, times, mask, newest_only=False)
    assert torch.equal(before[:, :, :2], after[:, :, :2])
    assert all((before[:, :, t] - after[:, :, t]).abs().max() > 1e-3 for t in (2, 3, 4))


@pytest.mark.parametrize('mode', MODES)
@torch.no_grad()
def test_padded_frame_has_no_influence(siglip, mode):
    encoder = VideoEncoder(siglip(), mode)
    images, times, valid = clip(4)
    valid[:, :, 1] = False
    before = encoder.clip(images, times, valid)
    images[:, :, 1] = torch.randn_like(images[:, :, 1]) * 9
    assert torch.equal(before, encoder.clip(images, times, valid))


@pytest.mark.parametrize('mode', MODES)
@torch.no_grad()
def test_order_of_past_frames_matters(siglip, mode):
    encoder = VideoEncoder(siglip(), mode)
    images, times, valid = clip(4)
    swapped = images[:, :, [1, 0, 2, 3]]
    difference = encoder.clip(images, times, valid) - encoder.clip(swapped, times, valid)
    assert difference.abs().max() > 1e-3


@pytest.mark.parametrize('mode', MODES)
@torch.no_grad()
def test_time_between_frames_matters(siglip, mode):
    encoder = VideoEncoder(siglip(), mode)
    images, times, valid = clip(3)
    difference = encoder.clip(images, times, valid) - encoder.clip(images, times * 2, valid)
    assert difference.abs().max() > 1e-3


@pytest.mark.parametrize('mode', MODES)
@torch.no_grad()
def test_stamps_count_only_relative_to_now(siglip, mode):
    encoder = VideoEncoder(siglip(), mode)
    images, times, valid = clip(3)
    later = encoder.clip(images, times + 1_763_000_000, valid)
    torch.testing.assert_close(encoder.clip(images, times, valid), later, atol=1e-5, rtol=0)


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('frames', [1, 2, 5])
@torch.no_grad()
def test_token_count_is_that_of_one_frame(siglip, mode, frames):
    assert VideoEncoder(siglip(), mode).clip(*clip(frames)).shape == (2, 2, 16, 32)


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('layers', [4, 7, 9])
@torch.no_grad()
def test_dropping_past_tokens_early_equals_dropping_them_at_the_end(siglip, mode, layers):
    encoder = VideoEncoder(siglip(layers), mode)
    images, times, valid = clip(4)
    late = encoder._forward(images, times, band_mask(valid, 4), newest_only=False)[:, :, -1]
    torch.testing.assert_close(encoder.clip(images, times, valid), late, atol=2e-6, rtol=0)


@torch.no_grad()
def test_clips_of_different_length_share_a_batch(siglip):
    encoder = VideoEncoder(siglip(9))
    images, times, valid = clip(4)
    valid[0, :, :2] = False
    together = encoder.clip(images, times, valid)
    alone = encoder.clip(images[:1, :, 2:], times[:1, :, 2:], valid[:1, :, 2:])
    torch.testing.assert_close(together[:1], alone, atol=2e-6, rtol=0)


@torch.no_grad()
def test_episode_gives_every_step_what_its_own_clip_gives(siglip):
    # One space-time layer: nothing of a frame's past is seen through another frame.
    encoder = VideoEncoder(siglip(5))
    images, times, valid = clip(6)
    whole = encoder.episode(images, times, band_mask(valid, 3))
    for step in range(2, 6):
        part = slice(step - 2, step + 1)
        own = encoder.clip(images[:, :, part], times[..., part], valid[..., part])
        torch.testing.assert_close(whole[:, :, step], own, atol=2e-6, rtol=0)


def test_gradient_of_a_clip_reaches_past_frames_and_every_weight(siglip):
    vit = siglip()
    images, times, valid = clip(3)
    valid[:, :, 0] = False
    images.requires_grad_()
    VideoEncoder(vit).clip(images, times, valid).square().sum().backward()
    assert images.grad[:, :, 1:].abs().amax(dim=(0, 1, 3, 4, 5)).min() > 0
    assert images.grad[:, :, 0].abs().max() == 0
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in vit.parameters())


def test_episode_in_window_mode_is_refused(siglip):
    images, times, valid = clip(2)
    with pytest.raises(ModelConfigError, match='relative'):
        VideoEncoder(siglip(), 'window').episode(images, times, band_mask(valid, 2))


def test_vit_too_shallow_for_a_space_time_layer_is_refused(siglip):
    with pytest.raises(ModelConfigError, match='3 layers'):
        VideoEncoder(siglip(3))


def test_unknown_position_mode_is_refused(siglip):
    with pytest.raises(ModelConfigError, match='absolute'):
        VideoEncoder(siglip(), 'absolute')


def test_vision_model_without_adapter_is_refused():
    config = transformers.BeitConfig(
        hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8)
    with pytest.raises(UnsupportedVitError, match='beit'):
        VideoEncoder(transformers.BeitModel(config))
