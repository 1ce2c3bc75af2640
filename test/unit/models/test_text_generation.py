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

import torch
from transformers import Gemma3ForCausalLM

from mem_vla_ros.models.prefix import ImageTokens


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
