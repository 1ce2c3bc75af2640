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

"""Backend ``vlm``: a high-level policy made of any image-text-to-text model, prompted."""

from mem_vla_ros.policies.high_level_prompt import HighLevelPrompt
from mem_vla_ros.policies.prompted_high_level import PromptedHighLevel
from mem_vla_ros.policies.transformers_chat import load_vision_chat


def load_vlm_high_level(
    name: str, prompt: HighLevelPrompt, device: str = 'cpu', dtype: str = 'auto',
    max_answer_tokens: int = 300,
) -> PromptedHighLevel:
    """
    Load the model by folder or hub name.

    :raises ConfigError: if it cannot be loaded or is not instruction-tuned.
    """
    return PromptedHighLevel(load_vision_chat(name, device, dtype), prompt, max_answer_tokens)
