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

"""Tests of the whole model: masks, caches, gradients, memory variants."""

from dataclasses import replace

import pytest
import torch
from transformers import Gemma3ForCausalLM

from mem_vla_ros.models.action_expert import time_encoding
from mem_vla_ros.models.attention_masks import block_mask, positions_of
from mem_vla_ros.models.errors import ShapeError
from mem_vla_ros.models.gemma_attention import attend, layer_contexts, project
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.prefix import ImageTokens
from mem_vla_ros.models.rtc_guidance import Guidance

FAST = {'fast_ids': torch.tensor([[3, 4, 5], [6, 7, 0]]),
        'fast_valid': torch.tensor([[True, True, True], [True, True, False]])}
MEMORIES = ('video', 'none', 'pool', 'proprio')


def prefix_of(model, batch):
    images = model.encode_clip(batch.images, batch.times, batch.valid)
    return model.prefix(
        images, batch.states, batch.state_valid, batch.text_ids, batch.text_valid)


def reached(module) -> bool:
    return any(p.grad is not None and p.grad.abs().max() > 0 for p in module.parameters())


def losses(model, batch, **options):
    torch.manual_seed(1)
    return model.loss(batch, **options)


# Sequence, masks and caches


def test_prefix_reads_in_blocks_and_text_is_causal():
    mask = block_mask(torch.tensor([0, 0, 1, 2]), torch.tensor([[True, False, True, True]]))[0]
    assert mask.int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 1, 1]]


def test_positions_skip_padding():
    assert positions_of(torch.tensor([[True, False, True, True]])).tolist() == [[0, 0, 1, 2]]


@pytest.mark.parametrize('window', ['full', 'gemma'])
@torch.no_grad()
def test_cached_prefix_equals_one_joint_pass(small_model, clip_batch, window):
    model, batch = small_model(attention_window=window), clip_batch()
    batch = replace(batch, text_valid=torch.tensor([[True] * 5, [True] * 3 + [False] * 2]))
    chunk, tau = torch.randn(2, 6, 4), torch.tensor([[0.3], [0.9]])
    cached = model.denoise(prefix_of(model, batch), chunk, tau)
    torch.testing.assert_close(cached, joint_pass(model, batch, chunk, tau), atol=1e-5, rtol=0)


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
def test_sampling_leaves_the_prefix_as_it_was(small_model, clip_batch):
    model = small_model()
    prefix, noise = prefix_of(model, clip_batch()), torch.randn(2, 6, 4)
    before = [k.clone() for k, _ in prefix.keys_values]
    first = model.sample_actions(prefix, noise=noise)
    assert torch.equal(model.sample_actions(prefix, noise=noise), first)
    assert all(torch.equal(a, k) for a, (k, _) in zip(before, prefix.keys_values, strict=True))


@torch.no_grad()
def test_missing_camera_and_padding_have_no_influence(small_model, clip_batch):
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


# Text


@torch.no_grad()
def test_text_alone_continues_as_gemma_of_transformers_does(small_model):
    model = small_model(attention_window='gemma')
    stock = Gemma3ForCausalLM(model.backbone.config).eval()
    stock.model.load_state_dict(model.backbone.state_dict())
    stock.tie_weights()
    ids = torch.randint(3, 300, (1, 9))
    prompt = torch.cat([torch.tensor([[2]]), ids], dim=1)
    theirs = stock.generate(
        prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=12, do_sample=False)
    theirs = theirs[0, prompt.shape[1]:].tolist()
    ours = model.generate_text(model.prefix(None, None, None, ids), 12)[0]
    assert ours == (theirs[:theirs.index(1)] if 1 in theirs else theirs)
    assert len(ours) > 3


@torch.no_grad()
def test_rows_of_different_length_write_what_they_write_alone(small_model, clip_batch):
    model, batch = small_model(), clip_batch()
    batch = replace(batch, text_valid=torch.tensor([[True] * 5, [True] * 2 + [False] * 3]))
    together = model.generate_text(prefix_of(model, batch), 8)
    images = model.encode_clip(batch.images[1:], batch.times[1:], batch.valid[1:])
    alone = model.prefix(images, batch.states[1:], batch.state_valid[1:], batch.text_ids[1:, :2])
    assert together[1] == model.generate_text(alone, 8)[0]


@torch.no_grad()
def test_writing_stops_at_eos(small_model):
    model = small_model()
    ids = torch.randint(3, 300, (1, 4))
    written = model.generate_text(model.prefix(None, None, None, ids), 6)[0]
    model.backbone.config.eos_token_id = written[2]
    stopped = model.generate_text(model.prefix(None, None, None, ids), 6)[0]
    assert stopped == written[:written.index(written[2])]


@torch.no_grad()
def test_temperature_draws_different_texts(small_model):
    model = small_model()
    prefix = model.prefix(None, None, None, torch.randint(3, 300, (1, 4)).repeat(8, 1))
    texts = model.generate_text(prefix, 6, temperature=2.0)
    assert len({tuple(text) for text in texts}) > 1


def test_text_loss_is_the_log_likelihood_of_the_written_tokens(small_model, clip_batch):
    model = small_model()
    goal = torch.tensor([[False, False, True, True, True], [False, True, False, False, False]])
    batch = clip_batch(text_target=goal, actions=None)
    found = losses(model, batch)
    images = model.encode_clip(batch.images, batch.times, batch.valid)
    expected = []
    for row, place in goal.nonzero().tolist():
        one = slice(row, row + 1)
        prefix = model.prefix(
            ImageTokens(images.embeds[one], images.valid[one]), batch.states[one],
            batch.state_valid[one], batch.text_ids[one, :place])
        expected.append(-model.logits(prefix.hidden).log_softmax(-1)[0, batch.text_ids[row, place]])
    assert set(found) == {'text', 'total'}
    torch.testing.assert_close(found['text'], torch.stack(expected).mean())


# Actions and gradients


def test_insulated_expert_sends_no_gradient_to_the_backbone(small_model, clip_batch):
    model = small_model()
    losses(model, clip_batch())['flow'].backward()
    assert reached(model.expert)
    assert not any(map(reached, (model.vision, model.backbone, model.state_in, model.fast)))


def test_expert_without_insulation_teaches_tower_and_backbone(small_model, clip_batch):
    model = small_model(knowledge_insulation=False)
    losses(model, clip_batch())['flow'].backward()
    assert all(map(reached, (model.vision.tower, model.backbone, model.state_in)))


def test_insulation_changes_no_value(small_model, clip_batch):
    batch, values = clip_batch(), []
    for insulated in (True, False):
        torch.manual_seed(0)
        values.append(losses(small_model(knowledge_insulation=insulated), batch)['flow'])
    assert torch.equal(*values)


def test_fast_tokens_teach_tower_and_backbone_but_not_the_expert(small_model, clip_batch):
    model = small_model()
    losses(model, clip_batch(**FAST))['fast'].backward()
    assert all(map(reached, (model.vision.tower, model.backbone, model.state_in, model.fast)))
    assert not reached(model.expert)


def test_expert_is_blind_to_fast_tokens_and_they_to_its_actions(small_model, clip_batch):
    model, batch = small_model(), clip_batch(**FAST)
    first = losses(model, batch)
    other_fast = losses(model, replace(batch, fast_ids=batch.fast_ids + 1))
    no_fast = losses(model, replace(batch, fast_ids=None, fast_valid=None))
    other_actions = losses(model, replace(batch, actions=batch.actions + 1))
    assert torch.equal(first['flow'], other_fast['flow'])
    torch.testing.assert_close(first['flow'], no_fast['flow'])
    assert torch.equal(first['fast'], other_actions['fast'])
    assert first['fast'] != other_fast['fast']
    assert first['flow'] != other_actions['flow']


def test_padded_fast_tokens_do_not_count(small_model, clip_batch):
    model, batch = small_model(), clip_batch(**FAST)
    ids = batch.fast_ids.clone()
    ids[1, 2] = 9
    changed = losses(model, replace(batch, fast_ids=ids))
    assert torch.equal(changed['fast'], losses(model, batch)['fast'])


def test_padded_dimensions_and_rows_do_not_count(small_model, clip_batch):
    model = small_model()
    real = torch.ones(2, 6, 4, dtype=torch.bool)
    real[..., 3:] = False
    real[1, 4:] = False
    batch = clip_batch(action_valid=real)
    output_bias = model.expert.action_out.bias
    losses(model, batch)['flow'].backward()
    assert output_bias.grad[3] == 0
    assert (output_bias.grad[:3] != 0).all()


def test_trained_prefix_counts_free_rows_only(small_model, clip_batch):
    model = small_model(rtc_max_delay=4)
    free = model._free_rows(500, torch.device('cpu'))
    assert set((~free).sum(dim=1).tolist()) == {0, 1, 2, 3, 4}
    assert (free.long().diff(dim=1) >= 0).all()
    assert losses(model, clip_batch())['flow'].isfinite()


@torch.no_grad()
def test_row_times_that_agree_equal_one_time_for_the_chunk(small_model, clip_batch):
    model = small_model()
    prefix, chunk = prefix_of(model, clip_batch()), torch.randn(2, 6, 4)
    tau = torch.tensor([[0.4], [0.7]])
    torch.testing.assert_close(
        model.denoise(prefix, chunk, tau), model.denoise(prefix, chunk, tau.expand(2, 6)))


@pytest.mark.parametrize('prediction', ['x', 'v'])
@torch.no_grad()
def test_committed_actions_are_kept_and_change_the_rest(small_model, clip_batch, prediction):
    model = small_model(prediction=prediction)
    prefix, noise = prefix_of(model, clip_batch()), torch.randn(2, 6, 4)
    committed = torch.randn(2, 2, 4)
    chunk = model.sample_actions(prefix, noise=noise, committed=committed)
    assert torch.equal(chunk[:, :2], committed)
    plain = model.sample_actions(prefix, noise=noise)
    assert (chunk - plain)[:, 2:].abs().max() > 1e-4
    assert torch.isfinite(chunk).all()


@pytest.mark.parametrize('jacobian', ['vjp', 'identity'])
@torch.no_grad()
def test_guidance_follows_the_running_chunk(small_model, clip_batch, jacobian):
    model = small_model()
    prefix, noise = prefix_of(model, clip_batch()), torch.randn(2, 6, 4)
    running = torch.randn(2, 4, 4)
    guide = Guidance(running, delay=2, execution_horizon=2, jacobian=jacobian)
    guided = model.sample_actions(prefix, noise=noise, guidance=guide)
    plain = model.sample_actions(prefix, noise=noise)
    before, after = ((x[:, :2] - running[:, :2]).abs().mean() for x in (plain, guided))
    assert after < 0.5 * before


def test_noise_samples_share_the_prefix_and_average(small_model, clip_batch, monkeypatch):
    model, batch = small_model(), clip_batch()
    calls = []
    run = model._run
    monkeypatch.setattr(model, '_run', lambda *a: calls.append(len(a[0])) or run(*a))
    assert losses(model, batch, noise_samples=3)['flow'].isfinite()
    assert calls == [2]


def test_new_expert_passes_nothing_but_learns(small_config):
    model = MemVLA(small_config())
    gates = [layer.norm1.modulation.weight for layer in model.expert.layers]
    assert all((gate == 0).all() for gate in gates)
    chunk = torch.randn(1, 6, 4)
    prefix = model.prefix(None, None, None, torch.tensor([[5]]))
    model.denoise(prefix, chunk, torch.tensor([[0.5]])).sum().backward()
    assert all(gate.grad.abs().max() > 0 for gate in gates)


def test_training_lowers_the_loss(small_model, clip_batch):
    model, batch = small_model(knowledge_insulation=False), clip_batch(**FAST)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    history = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = losses(model, batch, noise_samples=4)['total']
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    assert history[-1] < 0.6 * history[0]


# Memory variants


@pytest.mark.parametrize('memory', MEMORIES)
def test_episode_trains_on_the_same_loss_as_its_clips(small_model, clip_batch, memory):
    model, episode = small_model(memory=memory), clip_batch(count=1, frames=5)
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
def test_variant_sees_the_past_it_should(small_model, clip_batch, memory, sees_frames, sees_states):
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
