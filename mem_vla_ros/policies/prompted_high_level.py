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

"""High-level policy that asks a chat model: a local one or an endpoint."""

from mem_vla_ros.core.types import Decision, Observation
from mem_vla_ros.policies.chat_model import ChatModel
from mem_vla_ros.policies.high_level_prompt import HighLevelPrompt


class PromptedHighLevel:
    """
    Implements ``HighLevelPolicy`` with a prompt; the model keeps no state of its own.

    :param max_answer_tokens: An answer that does not end by then is refused.
    """

    def __init__(
        self, chat: ChatModel, prompt: HighLevelPrompt, max_answer_tokens: int = 300,
    ) -> None:
        self.prompt = prompt
        self.frames = max(prompt.frames, 1)
        self.stride = prompt.stride_s
        self.image_size = 0
        self._chat = chat
        self._max_answer_tokens = max_answer_tokens

    def decide(
        self, observation: Observation, memory: str, goal: str, subtask: str,
    ) -> Decision:
        """Ask for the next subtask and the new memory."""
        messages = self.prompt.messages(observation, memory, goal, subtask)
        answer = self._chat.complete(messages, self._max_answer_tokens)
        decision = self.prompt.parse(answer, memory)
        prompt_chars = sum(len(message.text) for message in messages)
        return Decision(decision.subtask, decision.memory, {'prompt_chars': prompt_chars})

    def reset(self) -> None:
        """Forget nothing: all that the model knows is in the prompt."""
