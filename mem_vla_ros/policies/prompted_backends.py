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
Prompted high-level backends from their configuration file.

::

    endpoint: {base_url: ..., model: ...}    fields of EndpointConfig, for ``openai``
    model: {name: ..., device: cpu}          arguments of load_vision_chat, for ``vlm``
    prompt: ../prompts/high_level.yaml       beside this file
    prompt_options: {frames: 1}              fields of HighLevelPrompt that override the prompt
    max_answer_tokens: 300
"""

from pathlib import Path
from typing import Any

import yaml

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.policies.chat_endpoint import ChatEndpoint, EndpointConfig
from mem_vla_ros.policies.chat_model import ChatModel
from mem_vla_ros.policies.high_level_prompt import load_prompt
from mem_vla_ros.policies.prompted_high_level import PromptedHighLevel

_SECTION = {'openai': 'endpoint', 'vlm': 'model'}


def load_prompted_high_level(backend: str, path: Path) -> PromptedHighLevel:
    """
    Return the policy that a file such as ``config/high_level/openai.yaml`` describes.

    :param backend: ``openai`` or ``vlm``.
    :raises ConfigError: naming the file and what is wrong with it.
    """
    document = _read(path)
    section = _SECTION[backend]
    known = {section, 'prompt', 'prompt_options', 'max_answer_tokens'}
    # CHECK: keys are known and complete
    if not {section, 'prompt'} <= document.keys() <= known:
        raise ConfigError(
            f'{path}: expected the keys {sorted(known)}, with {section!r} and "prompt". '
            f'Got {sorted(document)}.')
    try:
        chat = _make_chat(backend, document[section])
        prompt = load_prompt(
            path.parent / document['prompt'], **document.get('prompt_options', {}))
        return PromptedHighLevel(chat, prompt, document.get('max_answer_tokens', 300))
    except TypeError as error:
        raise ConfigError(f'{path}: {error}') from error


def _make_chat(backend: str, fields: dict[str, Any]) -> ChatModel:
    if backend == 'openai':
        return ChatEndpoint(EndpointConfig(**fields))
    from mem_vla_ros.policies.transformers_chat import load_vision_chat
    return load_vision_chat(**fields)


def _read(path: Path) -> dict[str, Any]:
    try:
        document = yaml.safe_load(path.read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f'Backend file {path} cannot be read: {error}') from error
    if not isinstance(document, dict):
        raise ConfigError(f'Backend file {path} must hold a mapping.')
    return document
