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

"""Backend ``vlm`` with a tiny Gemma 3 that is made, taught two answers and saved here."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import decoders, models, pre_tokenizers, Tokenizer
import torch
from transformers import Gemma3Config, Gemma3ForConditionalGeneration, PreTrainedTokenizerFast
from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil
from transformers.models.gemma3.processing_gemma3 import Gemma3Processor

from mem_vla_ros.core.errors import ConfigError, PolicyError
from mem_vla_ros.core.types import FrameStack, JointStack, Observation
from mem_vla_ros.policies.chat_model import ChatMessage
from mem_vla_ros.policies.high_level_answer import MalformedAnswer, OversizedAnswer
from mem_vla_ros.policies.high_level_prompt import HighLevelPrompt
from mem_vla_ros.policies.prompted_high_level import PromptedHighLevel
from mem_vla_ros.policies.transformers_chat import load_vision_chat, TransformersChat

SPECIAL = [
    '<pad>', '<bos>', '<eos>', '<start_of_image>', '<end_of_image>', '<image_soft_token>',
    '<turn>']
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<turn>{{ message['role'] }} "
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}<start_of_image>"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}{% endfor %}<turn>")
PROMPT = HighLevelPrompt('')
ANSWERS = {
    (255, 0, 0): 'Subtask: "stop"\nMemory: "I saw red."',
    (0, 255, 0): 'Subtask: "go"\nMemory: unchanged',
}
SIDE = 28


def make_observation(colour: tuple[int, int, int]) -> Observation:
    image = np.broadcast_to(np.array(colour, np.uint8), (1, 40, 40, 3))
    joints = JointStack(np.zeros((1, 7)), np.zeros(1), np.array([True]))
    return Observation(1.0, {'base': FrameStack(image, np.ones(1), np.array([True]))}, joints)


def make_tokenizer() -> PreTrainedTokenizerFast:
    pieces = SPECIAL + sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({piece: index for index, piece in enumerate(pieces)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token='<pad>', bos_token='<bos>', eos_token='<eos>',
        chat_template=TEMPLATE, extra_special_tokens={
            'boi_token': '<start_of_image>', 'eoi_token': '<end_of_image>',
            'image_token': '<image_soft_token>', 'turn_token': '<turn>'})


def make_processor() -> Gemma3Processor:
    return Gemma3Processor(
        Gemma3ImageProcessorPil(size={'height': SIDE, 'width': SIDE}), make_tokenizer(),
        chat_template=TEMPLATE, image_seq_length=4)


def make_model(vocabulary: int) -> Gemma3ForConditionalGeneration:
    ends = {'pad_token_id': 0, 'bos_token_id': 1, 'eos_token_id': 2}
    text: dict[str, Any] = {
        'vocab_size': vocabulary, 'hidden_size': 64, 'intermediate_size': 128,
        'num_hidden_layers': 1, 'num_attention_heads': 4, 'num_key_value_heads': 1,
        'head_dim': 16, **ends}
    vision = {
        'hidden_size': 32, 'intermediate_size': 64, 'num_hidden_layers': 1,
        'num_attention_heads': 2, 'image_size': SIDE, 'patch_size': 7}
    torch.manual_seed(0)
    return Gemma3ForConditionalGeneration(Gemma3Config(
        text_config=text, vision_config=vision, mm_tokens_per_image=4, boi_token_index=3,
        eoi_token_index=4, image_token_index=5, **ends))


def teach(model: Gemma3ForConditionalGeneration, processor: Gemma3Processor) -> None:
    """Overfit the two answers, each to its colour."""
    chat = TransformersChat(model, processor)
    samples = []
    for colour, answer in ANSWERS.items():
        inputs = chat._encode(PROMPT.messages(make_observation(colour), '', 'g', ''))
        target = torch.tensor([[*processor.tokenizer(answer)['input_ids'], 2]])
        samples.append((inputs, target))
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(300):
        loss = sum(answer_loss(model, *sample) for sample in samples)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.1:
            break
    model.eval()


def answer_loss(model: Any, inputs: Any, target: torch.Tensor) -> torch.Tensor:
    ids = torch.cat([inputs['input_ids'], target], dim=1)
    types = torch.cat([inputs['token_type_ids'], torch.zeros_like(target)], dim=1)
    logits = model(
        input_ids=ids, token_type_ids=types, attention_mask=torch.ones_like(ids),
        pixel_values=inputs['pixel_values']).logits
    return torch.nn.functional.cross_entropy(
        logits[0, -target.shape[1] - 1:-1], target[0])


@pytest.fixture(scope='module')
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    processor = make_processor()
    model = make_model(len(processor.tokenizer))
    teach(model, processor)
    path = tmp_path_factory.mktemp('vlm')
    model.save_pretrained(path)
    processor.save_pretrained(path)
    return path


@pytest.fixture(scope='module')
def policy(folder: Path) -> PromptedHighLevel:
    return PromptedHighLevel(load_vision_chat(str(folder)), PROMPT, max_answer_tokens=60)


@pytest.mark.parametrize(('colour', 'subtask', 'memory'), [
    ((255, 0, 0), 'stop', 'I saw red.'), ((0, 255, 0), 'go', '')])
def test_loaded_model_decides_by_what_it_sees(
        policy: PromptedHighLevel, colour: tuple, subtask: str, memory: str) -> None:
    decision = policy.decide(make_observation(colour), '', 'g', '')
    assert (decision.subtask, decision.memory) == (subtask, memory)


def test_answer_without_an_end_is_oversized(folder: Path) -> None:
    policy = PromptedHighLevel(load_vision_chat(str(folder)), PROMPT, max_answer_tokens=10)
    with pytest.raises(OversizedAnswer, match='within 10 tokens'):
        policy.decide(make_observation((255, 0, 0)), '', 'g', '')


def test_untaught_model_is_refused_by_its_answer() -> None:
    processor = make_processor()
    model = make_model(len(processor.tokenizer))
    policy = PromptedHighLevel(TransformersChat(model, processor), PROMPT, 20)
    with pytest.raises((MalformedAnswer, OversizedAnswer)):
        policy.decide(make_observation((255, 0, 0)), '', 'g', '')


def test_text_model_refuses_images() -> None:
    tokenizer = make_tokenizer()
    chat = TransformersChat(make_model(len(tokenizer)), tokenizer)
    message = ChatMessage('user', 'hello', (np.zeros((8, 8, 3), np.uint8),))
    with pytest.raises(PolicyError, match='knows no images, but got 1'):
        chat.complete([message], 5)


def test_model_without_a_chat_template_is_refused() -> None:
    tokenizer = make_tokenizer()
    tokenizer.chat_template = None
    with pytest.raises(ConfigError, match='no chat template'):
        TransformersChat(make_model(len(tokenizer)), tokenizer)


def test_missing_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='cannot be loaded'):
        load_vision_chat(str(tmp_path / 'absent'))
