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

"""Tests of action losses, of where their gradients go, and of sampling under RTC."""

from dataclasses import replace

import pytest
import torch

from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.rtc_guidance import Guidance

FAST = {'fast_ids': torch.tensor([[3, 4, 5], [6, 7, 0]]),
        'fast_valid': torch.tensor([[True, True, True], [True, True, False]])}


def reached(module) -> bool:
    return any(p.grad is not None and p.grad.abs().max() > 0 for p in module.parameters())


def test_insulated_expert_sends_no_gradient_to_the_backbone(small_model, clip_batch, losses):
    model = small_model()
    losses(model, clip_batch())['flow'].backward()
    assert reached(model.expert)
    assert not any(map(reached, (model.vision, model.backbone, model.state_in, model.fast)))


def test_expert_without_insulation_teaches_tower_and_backbone(small_model, clip_batch, losses):
    model = small_model(knowledge_insulation=False)
    losses(model, clip_batch())['flow'].backward()
    assert all(map(reached, (model.vision.tower, model.backbone, model.state_in)))


def test_insulation_changes_no_value(small_model, clip_batch, losses):
    batch, values = clip_batch(), []
    for insulated in (True, False):
        torch.manual_seed(0)
        values.append(losses(small_model(knowledge_insulation=insulated), batch)['flow'])
    assert torch.equal(*values)


def test_fast_tokens_teach_tower_and_backbone_but_not_the_expert(small_model, clip_batch, losses):
    model = small_model()
    losses(model, clip_batch(**FAST))['fast'].backward()
    assert all(map(reached, (model.vision.tower, model.backbone, model.state_in, model.fast)))
    assert not reached(model.expert)


def test_expert_is_blind_to_fast_tokens_and_they_to_its_actions(small_model, clip_batch, losses):
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


def test_padded_fast_tokens_do_not_count(small_model, clip_batch, losses):
    model, batch = small_model(), clip_batch(**FAST)
    ids = batch.fast_ids.clone()
    ids[1, 2] = 9
    changed = losses(model, replace(batch, fast_ids=ids))
    assert torch.equal(changed['fast'], losses(model, batch)['fast'])


def test_padded_dimensions_and_rows_do_not_count(small_model, clip_batch, losses):
    model = small_model()
    real = torch.ones(2, 6, 4, dtype=torch.bool)
    real[..., 3:] = False
    real[1, 4:] = False
    batch = clip_batch(action_valid=real)
    output_bias = model.expert.action_out.bias
    losses(model, batch)['flow'].backward()
    assert output_bias.grad[3] == 0
    assert (output_bias.grad[:3] != 0).all()


def test_trained_prefix_counts_free_rows_only(small_model, clip_batch, losses):
    model = small_model(rtc_max_delay=4)
    free = model._free_rows(500, torch.device('cpu'))
    assert set((~free).sum(dim=1).tolist()) == {0, 1, 2, 3, 4}
    assert (free.long().diff(dim=1) >= 0).all()
    assert losses(model, clip_batch())['flow'].isfinite()


@torch.no_grad()
def test_row_times_that_agree_equal_one_time_for_the_chunk(small_model, clip_batch, prefix_of):
    model = small_model()
    prefix, chunk = prefix_of(model, clip_batch()), torch.randn(2, 6, 4)
    tau = torch.tensor([[0.4], [0.7]])
    torch.testing.assert_close(
        model.denoise(prefix, chunk, tau), model.denoise(prefix, chunk, tau.expand(2, 6)))


@pytest.mark.parametrize('prediction', ['x', 'v'])
@torch.no_grad()
def test_committed_actions_are_kept_and_change_the_rest(
        small_model, clip_batch, prediction, prefix_of):
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
def test_guidance_follows_the_running_chunk(small_model, clip_batch, jacobian, prefix_of):
    model = small_model()
    prefix, noise = prefix_of(model, clip_batch()), torch.randn(2, 6, 4)
    running = torch.randn(2, 4, 4)
    guide = Guidance(running, delay=2, execution_horizon=2, jacobian=jacobian)
    guided = model.sample_actions(prefix, noise=noise, guidance=guide)
    plain = model.sample_actions(prefix, noise=noise)
    before, after = ((x[:, :2] - running[:, :2]).abs().mean() for x in (plain, guided))
    assert after < 0.5 * before


def test_noise_samples_share_the_prefix_and_average(small_model, clip_batch, monkeypatch, losses):
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


def test_training_lowers_the_loss(small_model, clip_batch, losses):
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


@pytest.mark.parametrize(('weights', 'same'), [(None, True), ((1, 1, 1, 1), True),
                                               ((1, 1, 1, 0), False)])
def test_a_dimension_counts_as_much_as_its_weight(small_model, clip_batch, losses, weights, same):
    model, batch = small_model(), clip_batch()
    wrong = batch.actions.clone()
    wrong[..., 3] += 100.0
    weighted = None if weights is None else torch.tensor(weights, dtype=torch.float32)
    values = []
    for actions in (batch.actions, wrong):
        weighed = replace(batch, actions=actions, action_weight=weighted)
        values.append(float(losses(model, weighed)['flow'].detach()))
    # The last dimension is seen as noise either way; only its own error may count.
    assert (values[1] > 100 * values[0]) == same


def test_an_expert_that_reads_motion_begins_like_one_that_does_not(
        small_config, clip_batch, losses):
    batch = clip_batch(velocity=torch.randn(2, 5))
    plain, reading = (MemVLA(small_config(expert_reads_motion=reads)) for reads in (False, True))
    missing, unexpected = reading.load_state_dict(plain.state_dict(), strict=False)
    assert missing == ['expert.motion_in.weight'] and not unexpected
    assert torch.equal(losses(plain, batch)['flow'], losses(reading, batch)['flow'])
    losses(reading, batch)['flow'].backward()
    assert reading.expert.motion_in.weight.grad.abs().max() > 0


def test_chunks_follow_the_velocity_that_training_showed(small_model, clip_batch, prefix_of):
    model, batch = small_model(expert_reads_motion=True), clip_batch()
    noise = torch.randn(2, 6, 4)

    def chunks(velocity):
        images = model.encode_clip(batch.images, batch.times, batch.valid)
        prefix = model.prefix(images, batch.states, batch.state_valid, batch.text_ids,
                              batch.text_valid, velocity)
        return model.sample_actions(prefix, noise=noise)
    still = chunks(torch.zeros(2, 5))
    assert torch.equal(chunks(None), still)
    assert not torch.allclose(chunks(torch.ones(2, 5)), still)


def test_a_text_that_weighs_nothing_is_not_learned(small_model, clip_batch, losses):
    model = small_model()
    batch = clip_batch(actions=None, text_target=torch.ones(2, 5, dtype=torch.bool))
    first = clip_batch(count=1, **{
        name: getattr(batch, name)[:1] for name in (
            'images', 'times', 'valid', 'states', 'state_valid', 'text_ids', 'text_valid',
            'text_target')}, actions=None)
    weighted = replace(batch, text_weight=torch.tensor([2.0, 0.0]))
    torch.testing.assert_close(losses(model, weighted)['text'], losses(model, first)['text'])
