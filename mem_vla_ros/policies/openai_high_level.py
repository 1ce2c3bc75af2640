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

"""Backend ``openai``: a high-level policy behind any OpenAI-compatible endpoint."""

from mem_vla_ros.policies.chat_endpoint import ChatEndpoint, EndpointConfig
from mem_vla_ros.policies.high_level_prompt import HighLevelPrompt
from mem_vla_ros.policies.prompted_high_level import PromptedHighLevel


def make_openai_high_level(
    endpoint: EndpointConfig, prompt: HighLevelPrompt, max_answer_tokens: int = 300,
) -> PromptedHighLevel:
    """Return the policy; nothing is sent before its first decision."""
    return PromptedHighLevel(ChatEndpoint(endpoint), prompt, max_answer_tokens)
