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

"""Tests of reading and writing text with the backbone."""

from dataclasses import replace

import pytest
import torch
from transformers import Gemma3ForCausalLM

from mem_vla_ros.models.prefix import ImageTokens, Prefix


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
def test_rows_of_different_length_write_what_they_write_alone(small_model, clip_batch, prefix_of):
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


@pytest.mark.parametrize('kept, strange, limit', [
    (8, [], 8), (5, [], 8), (3, [7, 8, 9], 8), (0, [7, 8, 9], 8), (8, [7] * 9, 8), (2, [], 1)])
@torch.no_grad()
def test_a_draft_changes_nothing(small_model, clip_batch, prefix_of, kept, strange, limit):
    model = small_model(attention_window='gemma')
    prefix = prefix_of(model, clip_batch())
    one = Prefix(prefix.hidden[:1], [(k[:1], v[:1]) for k, v in prefix.keys_values],
                 prefix.valid[:1])
    plain = model.generate_text(one, 8)[0]
    drafted = model.generate_text(one, limit, drafts=[[*plain[:kept], *strange]])[0]
    assert drafted == plain[:limit]


@torch.no_grad()
def test_a_right_draft_is_read_in_one_pass(small_model, monkeypatch):
    model, passes = small_model(), []
    prefix = model.prefix(None, None, None, torch.randint(3, 300, (1, 4)))
    plain = model.generate_text(prefix, 8)[0]
    append = model._append
    monkeypatch.setattr(model, '_append', lambda *args: passes.append(1) or append(*args))
    assert model.generate_text(prefix, 8, drafts=[plain[:7]])[0] == plain
    assert len(passes) == 1


@torch.no_grad()
def test_temperature_draws_different_texts(small_model):
    model = small_model()
    prefix = model.prefix(None, None, None, torch.randint(3, 300, (1, 4)).repeat(8, 1))
    texts = model.generate_text(prefix, 6, temperature=2.0)
    assert len({tuple(text) for text in texts}) > 1


def test_text_loss_is_the_log_likelihood_of_the_written_tokens(small_model, clip_batch, losses):
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
        scores = model.logits(prefix.hidden)[0].log_softmax(-1)
        expected.append(-scores[batch.text_ids[row, place]])
    assert set(found) == {'text', 'total'}
    torch.testing.assert_close(found['text'], torch.stack(expected).mean())


@torch.no_grad()
def test_samples_of_like_length_pass_together_and_the_loss_stays(
        small_model, clip_batch, losses, monkeypatch):
    model, lengths = small_model(), torch.tensor([9, 2, 4, 3])
    exists = torch.arange(9) < lengths[:, None]
    batch = clip_batch(
        4, actions=None, text_ids=torch.randint(3, 300, (4, 9)), text_valid=exists,
        text_target=exists & (torch.arange(9) > 0), text_weight=torch.tensor([1.0, 3.0, 2.0, 1.0]),
        fast_ids=torch.randint(0, 20, (4, 3)), fast_valid=lengths[:, None] > torch.arange(3))
    together = losses(model, batch)
    seen = []
    run = model._run
    monkeypatch.setattr(model, '_run', lambda *a: seen.append(a[0].shape[1]) or run(*a))
    monkeypatch.setattr('mem_vla_ros.models.mem_vla._TOGETHER', 2)
    apart = losses(model, batch)
    assert seen[1] - seen[0] == 9 - 3
    for name in ('text', 'fast', 'total'):
        torch.testing.assert_close(apart[name], together[name])
