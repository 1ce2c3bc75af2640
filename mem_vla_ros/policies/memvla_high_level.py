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

"""Backend ``memvla`` of the high level: text generation of this project's model."""

from pathlib import Path

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.types import Decision, Observation
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.text_tokenizer import decode, encode
from mem_vla_ros.policies.answer_format import AnswerFormat
from mem_vla_ros.policies.high_level_answer import OversizedAnswer
from mem_vla_ros.policies.memvla_high_level_text import high_level_question, trained_answers
from mem_vla_ros.policies.robots_model import RobotModel, SingleRobotModel, TextQuestion


class MemVlaHighLevel:
    """
    Reads the cameras, the joints, the goal and the memory, and writes subtask and memory.

    One frame or K per camera is the choice of the caller: all frames of an observation are read.

    :param order: Of the answer, as the checkpoint was trained.
    :param max_answer_tokens: An answer that does not end by then is refused.
    :param model: What answers for the checkpoint; by default a model of this robot alone.
    """

    def __init__(
        self, checkpoint: Checkpoint, order: str = 'memory_first', max_answer_tokens: int = 300,
        model: RobotModel | None = None,
    ) -> None:
        if max_answer_tokens < 1:
            raise ConfigError(f'max_answer_tokens must be above 0. Got {max_answer_tokens}.')
        config = checkpoint.model.config
        self.frames = config.frames
        self.stride = config.stride_s
        self.image_size = config.vision_config.image_size
        self._checkpoint = checkpoint
        self._answers: AnswerFormat = trained_answers(order)
        self._max_answer_tokens = max_answer_tokens
        self._model = model or SingleRobotModel(checkpoint)

    @classmethod
    def from_folder(
        cls, folder: Path | str, order: str = 'memory_first', max_answer_tokens: int = 300,
    ) -> 'MemVlaHighLevel':
        """Load a checkpoint folder; :raises CheckpointError: if it is not whole."""
        return cls(Checkpoint.from_pretrained(folder), order, max_answer_tokens)

    def reset(self) -> None:
        """Forget the frames; all else that the model knows is in the prompt."""
        self._model.reset()

    def decide(
        self, observation: Observation, memory: str, goal: str, subtask: str,
    ) -> Decision:
        """Write the next subtask and the new memory."""
        question = high_level_question(goal, memory, subtask)
        # Most decisions are to go on as before.
        likely = encode(self._checkpoint.tokenizer, self._answers.write(subtask, memory, memory))
        written = self._model.write(
            TextQuestion(observation, question, self._max_answer_tokens, likely))
        if len(written) >= self._max_answer_tokens:
            raise OversizedAnswer(f'Answer did not end within {self._max_answer_tokens} tokens.')
        decision = self._answers.read(decode(self._checkpoint.tokenizer, written), memory)
        return Decision(decision.subtask, decision.memory, {'prompt_chars': len(question)})
