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
Prompt of a prompted high-level policy.

Goal, memory and last subtask come from topics and models, so they stand in the prompt as quoted
JSON strings, which nothing inside them can close.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import json
from pathlib import Path
from typing import Any

import yaml

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.types import Decision, ImageArray, Observation
from mem_vla_ros.policies.answer_format import AnswerFormat
from mem_vla_ros.policies.chat_model import ChatMessage

_EXAMPLE_KEYS = {'goal', 'memory', 'last_subtask', 'subtask', 'new_memory'}


@dataclass(frozen=True)
class HighLevelPrompt:
    """
    How a chat model is asked for the next subtask and the new memory.

    :param instructions: The system message; ``{format}`` stands for the two answer lines.
    :param examples: Question and answer pairs, with the keys of the prompt file.
    :param order: Of the answer's lines, ``subtask_first`` or ``memory_first``.
    :param frames: Newest images per camera that are shown; 0 shows none.
    :param stride_s: Time between those images [s].
    :param cameras: Names of the cameras that are shown; None shows all.
    :param max_answer_chars: Longer answers are refused before they are read.
    """

    instructions: str
    examples: tuple[Mapping[str, str], ...] = ()
    order: str = 'subtask_first'
    frames: int = 1
    stride_s: float = 1.0
    cameras: tuple[str, ...] | None = None
    max_answer_chars: int = 4000

    def __post_init__(self) -> None:
        # CHECK: the order is known
        AnswerFormat(self.order)
        # CHECK: frames is a count
        if self.frames < 0:
            raise ConfigError(f'frames must be 0 or more. Got {self.frames}.')
        # CHECK: examples are complete
        for index, example in enumerate(self.examples):
            if set(example) != _EXAMPLE_KEYS:
                raise ConfigError(
                    f'Example {index} needs the keys {sorted(_EXAMPLE_KEYS)}. '
                    f'Got {sorted(example)}.')

    def messages(
        self, observation: Observation, memory: str, goal: str, subtask: str,
    ) -> list[ChatMessage]:
        """Return the chat that asks for one decision."""
        shown = self._shown_images(observation)
        instructions = self.instructions.replace('{format}', self.answers.describe())
        chat = [ChatMessage('system', instructions)]
        for example in self.examples:
            chat.append(ChatMessage('user', _question(
                example['goal'], example['memory'], example['last_subtask'], ())))
            chat.append(ChatMessage('assistant', self.answers.write(
                example['subtask'], example['new_memory'], example['memory'])))
        images = tuple(image for _, image in shown)
        names = [name for name, _ in shown]
        chat.append(ChatMessage('user', _question(goal, memory, subtask, names), images))
        return chat

    def parse(self, answer: str, memory: str) -> Decision:
        """
        Return the decision of an answer.

        :param memory: The memory so far, which ``unchanged`` keeps.
        :raises MalformedAnswer: if it is not exactly the two lines.
        :raises OversizedAnswer: if it is longer than ``max_answer_chars``.
        """
        return self.answers.read(answer, memory)

    @property
    def answers(self) -> AnswerFormat:
        """Return the form of the answers."""
        return AnswerFormat(self.order, max_chars=self.max_answer_chars)

    def _shown_images(self, observation: Observation) -> list[tuple[str, ImageArray]]:
        """Return camera name and image, per camera oldest first."""
        names = observation.cameras if self.cameras is None else self.cameras
        return [
            (name, image)
            for name in names if name in observation.cameras
            for image in _newest_images(observation, name, self.frames)]


def load_prompt(path: Path, **changes: Any) -> HighLevelPrompt:
    """
    Read a prompt file such as ``config/prompts/high_level.yaml``.

    :param changes: Fields of :class:`HighLevelPrompt` that override the file.
    :raises ConfigError: if the file is missing or not such a file.
    """
    try:
        document = yaml.safe_load(path.read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f'Prompt file {path} cannot be read: {error}') from error
    if not isinstance(document, dict):
        raise ConfigError(f'Prompt file {path} must hold a mapping.')
    fields = {**document, **changes}
    for name in ('examples', 'cameras'):
        if fields.get(name) is not None:
            fields[name] = tuple(fields[name])
    try:
        return HighLevelPrompt(**fields)
    except TypeError as error:
        raise ConfigError(f'Prompt file {path}: {error}') from error


def _question(goal: str, memory: str, subtask: str, cameras: Sequence[str]) -> str:
    lines = [
        f'Goal: {_quote(goal)}', f'Memory: {_quote(memory)}', f'Last subtask: {_quote(subtask)}']
    if cameras:
        lines.append(f'Images, oldest first per camera: {", ".join(cameras)}')
    return '\n'.join(lines)


def _newest_images(observation: Observation, camera: str, count: int) -> list[ImageArray]:
    stack = observation.cameras[camera]
    valid = [image for image, good in zip(stack.images, stack.valid, strict=True) if good]
    return valid[len(valid) - min(count, len(valid)):]


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
