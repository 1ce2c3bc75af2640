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

"""
Chat with a local model of ``transformers``: text only, or with images.

Weights come as safetensors only, and no code from a model's repository is run.
"""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoProcessor,
    AutoTokenizer,
)

from mem_vla_ros.core.errors import ConfigError, PolicyError
from mem_vla_ros.policies.chat_model import ChatMessage
from mem_vla_ros.policies.high_level_answer import OversizedAnswer


class TransformersChat:
    """
    Implements ``ChatModel``; always takes the likeliest token.

    :param model: An image-text-to-text or causal language model.
    :param processor: Its processor, or its tokenizer if it knows no images.
    :raises ConfigError: if the processor has no chat template.
    """

    def __init__(self, model: Any, processor: Any) -> None:
        if not getattr(processor, 'chat_template', None):
            raise ConfigError(
                f'{type(processor).__name__} has no chat template; expected an instruction-tuned '
                'model.')
        self._model = model.eval()
        self._processor = processor
        self._tokenizer = getattr(processor, 'tokenizer', processor)
        self._sees = self._tokenizer is not processor

    @torch.inference_mode()
    def complete(self, messages: Sequence[ChatMessage], max_tokens: int) -> str:
        """
        Return the answer to the last message.

        :raises OversizedAnswer: if it did not end within ``max_tokens``.
        :raises PolicyError: if there are images and the model knows none.
        """
        inputs = self._encode(messages)
        prompt_tokens = inputs['input_ids'].shape[1]
        written = self._model.generate(
            **inputs, max_new_tokens=max_tokens, do_sample=False)[0, prompt_tokens:]
        if len(written) >= max_tokens and int(written[-1]) not in self._end_tokens():
            raise OversizedAnswer(f'Answer did not end within {max_tokens} tokens.')
        return str(self._tokenizer.decode(written, skip_special_tokens=True))

    def _encode(self, messages: Sequence[ChatMessage]) -> Any:
        images = [image for message in messages for image in message.images]
        if images and not self._sees:
            raise PolicyError(
                f'{type(self._model).__name__} knows no images, but got {len(images)}; '
                'set frames to 0 in the prompt.')
        chat = [self._describe(message) for message in messages]
        text = self._processor.apply_chat_template(
            chat, add_generation_prompt=True, tokenize=False)
        arguments = {'images': images} if images else {}
        # The template has written the first special token already.
        return self._processor(
            text=text, add_special_tokens=False, return_tensors='pt', **arguments,
        ).to(self._model.device)

    def _describe(self, message: ChatMessage) -> dict[str, Any]:
        if not self._sees:
            return {'role': message.role, 'content': message.text}
        return {'role': message.role, 'content': [
            *({'type': 'image'} for _ in message.images),
            {'type': 'text', 'text': message.text}]}

    def _end_tokens(self) -> list[int]:
        end = self._model.generation_config.eos_token_id
        return end if isinstance(end, list) else [end]


def load_vision_chat(name: str, device: str = 'cpu', dtype: str = 'auto') -> TransformersChat:
    """
    Load an image-text-to-text model by folder or hub name.

    :raises ConfigError: if it cannot be loaded.
    """
    return _load(AutoModelForImageTextToText, AutoProcessor, name, device, dtype)


def load_text_chat(name: str, device: str = 'cpu', dtype: str = 'auto') -> TransformersChat:
    """
    Load a causal language model by folder or hub name.

    :raises ConfigError: if it cannot be loaded.
    """
    return _load(AutoModelForCausalLM, AutoTokenizer, name, device, dtype)


def _load(
    model_class: Any, processor_class: Any, name: str, device: str, dtype: str,
) -> TransformersChat:
    try:
        processor = processor_class.from_pretrained(name)
        model = model_class.from_pretrained(name, dtype=dtype, use_safetensors=True).to(device)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ConfigError(f'Model {name!r} cannot be loaded: {error}') from error
    return TransformersChat(model, processor)
