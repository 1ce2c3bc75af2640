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

"""Configuration files of the prompted high-level backends."""

from pathlib import Path

import pytest
import yaml

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.policies.prompted_backends import load_prompted_high_level

CONFIG = Path(__file__).parents[3] / 'config'
PROMPT = str(CONFIG / 'prompts' / 'high_level.yaml')
ENDPOINT = {'base_url': 'http://127.0.0.1:1/v1', 'model': 'm'}


def write(tmp_path: Path, document: object) -> Path:
    path = tmp_path / 'backend.yaml'
    path.write_text(yaml.safe_dump(document))
    return path


def test_shipped_endpoint_file_makes_a_policy() -> None:
    policy = load_prompted_high_level('openai', CONFIG / 'high_level' / 'openai.yaml')
    assert policy.prompt.order == 'subtask_first'
    assert len(policy.prompt.examples) == 3


def test_prompt_options_override_the_prompt_file(tmp_path: Path) -> None:
    path = write(tmp_path, {
        'endpoint': ENDPOINT, 'prompt': PROMPT,
        'prompt_options': {'order': 'memory_first', 'frames': 3, 'cameras': ['rear']}})
    prompt = load_prompted_high_level('openai', path).prompt
    assert (prompt.order, prompt.frames, prompt.cameras) == ('memory_first', 3, ('rear',))


@pytest.mark.parametrize(('document', 'message'), [
    ([], 'must hold a mapping'),
    ({'prompt': PROMPT}, 'expected the keys'),
    ({'endpoint': ENDPOINT, 'prompt': PROMPT, 'temperature': 1}, 'temperature'),
    ({'endpoint': {**ENDPOINT, 'modle': 'x'}, 'prompt': PROMPT}, 'modle'),
    ({'endpoint': ENDPOINT, 'prompt': 'absent.yaml'}, 'cannot be read'),
    ({'endpoint': ENDPOINT, 'prompt': PROMPT, 'prompt_options': {'frame': 1}}, 'frame'),
])
def test_bad_backend_file_is_refused_by_name(
        tmp_path: Path, document: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_prompted_high_level('openai', write(tmp_path, document))


def test_vlm_file_with_a_missing_model_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, {'model': {'name': str(tmp_path / 'absent')}, 'prompt': PROMPT})
    with pytest.raises(ConfigError, match='cannot be loaded'):
        load_prompted_high_level('vlm', path)
