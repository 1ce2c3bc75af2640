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

"""Tests of the memory variants and of the three ways to encode images."""

from dataclasses import replace

import pytest
import torch

from mem_vla_ros.models.errors import ModelConfigError

MEMORIES = ('video', 'none', 'pool', 'proprio')


@pytest.mark.parametrize('merge', ['mean', 'concat'])
@pytest.mark.parametrize('memory', MEMORIES)
def test_episode_trains_on_the_same_loss_as_its_clips(
        small_model, clip_batch, memory, merge, losses):
    model = small_model(memory=memory, patch_merge=merge)
    episode = clip_batch(count=1, frames=5)
    picked = [2, 4]
    clips = {
        'images': torch.cat([episode.images[:, :, t - 2:t + 1] for t in picked]),
        'times': torch.cat([episode.times[..., t - 2:t + 1] for t in picked]),
        'valid': torch.cat([episode.valid[..., t - 2:t + 1] for t in picked])}
    by_clip = clip_batch(**clips)
    by_episode = replace(
        by_clip, images=episode.images, times=episode.times, valid=episode.valid,
        steps=torch.tensor([[0, t] for t in picked]))
    torch.testing.assert_close(losses(model, by_clip)['flow'], losses(model, by_episode)['flow'])


@pytest.mark.parametrize(('memory', 'sees_frames', 'sees_states'), [
    ('video', True, True), ('none', False, False), ('pool', True, False),
    ('proprio', False, True)])
@torch.no_grad()
def test_variant_sees_the_past_it_should(
        small_model, clip_batch, prefix_of, memory, sees_frames, sees_states):
    model, batch = small_model(memory=memory), clip_batch()
    noise = torch.randn(2, 6, 4)
    images, states = batch.images.clone(), batch.states.clone()
    images[:, :, 0], states[:, 0] = 255 - images[:, :, 0], states[:, 0] + 1
    plain, frames, joints = (
        model.sample_actions(prefix_of(model, b), noise=noise)
        for b in (batch, replace(batch, images=images), replace(batch, states=states)))
    assert torch.equal(plain, frames) != sees_frames
    assert torch.equal(plain, joints) != sees_states


@pytest.mark.parametrize(('per_camera', 'tokens'), [(True, 10), (False, 9)])
@torch.no_grad()
def test_pool_adds_a_memory_token_that_is_masked_without_a_past(
        small_model, clip_batch, per_camera, tokens):
    model, batch = small_model(memory='pool', pool_per_camera=per_camera), clip_batch()
    batch.valid[0, :, :-1] = False
    images = model.encode_clip(batch.images, batch.times, batch.valid)
    assert images.embeds.shape[1] == tokens
    assert images.valid[1].all()
    assert images.valid[0].tolist() == [True] * 8 + [False] * (tokens - 8)


@torch.no_grad()
def test_image_tokens_do_not_depend_on_the_number_of_frames(small_model, clip_batch):
    model = small_model()
    shapes = {model.encode_clip(b.images, b.times, b.valid).embeds.shape
              for b in (clip_batch(frames=f) for f in (1, 2, 7))}
    assert shapes == {(2, 8, 24)}


@torch.no_grad()
def test_streaming_gives_the_tokens_of_the_episode(small_model, clip_batch):
    model, batch = small_model(), clip_batch(frames=6)
    whole = model.encode_episode(batch.images, batch.times, batch.valid)
    stream = model.stream(batch=2)
    for t in range(6):
        step = model.encode_step(
            stream, batch.images[:, :, t], batch.times[..., t].expand(2, 2),
            batch.valid[..., t])
        torch.testing.assert_close(step.embeds, whole.embeds[:, t], atol=1e-5, rtol=0)


@torch.no_grad()
def test_camera_embedding_tells_equal_images_apart(small_model, clip_batch):
    batch = clip_batch()
    images = batch.images[:, :1].expand(-1, 2, -1, -1, -1, -1)
    for switch in (False, True):
        tokens = small_model(camera_embedding=switch).encode_clip(
            images, batch.times, batch.valid).embeds
        assert torch.allclose(tokens[:, :4], tokens[:, 4:], atol=1e-6) != switch


def test_pooled_memory_cannot_stream(small_model):
    with pytest.raises(ModelConfigError, match='pool'):
        small_model(memory='pool').stream()
