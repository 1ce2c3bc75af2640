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
Prompt of a high-level policy and the strict reading of its answer.

Goal, memory and last subtask come from topics and models, so they stand in the prompt as quoted
JSON strings, which nothing inside them can close. The answer is two lines, in the order that the
configuration says::

    Subtask: "pick up the bowl"
    Memory: "I placed a plate in the cabinet."

The word ``unchanged`` without quotes keeps the memory, so that most answers are short. Anything
else is malformed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import json
from pathlib import Path
from typing import Any

import yaml

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.types import Decision, ImageArray, Observation
from mem_vla_ros.policies.chat_model import ChatMessage
from mem_vla_ros.policies.high_level_answer import MalformedAnswer, OversizedAnswer

ORDERS = {
    'subtask_first': ('Subtask', 'Memory'),
    'memory_first': ('Memory', 'Subtask'),
}
UNCHANGED = 'unchanged'
_EXAMPLE_KEYS = {'goal', 'memory', 'last_subtask', 'subtask', 'new_memory'}


@dataclass(frozen=True)
class HighLevelPrompt:
    """
    How a chat model is asked for the next subtask and the new memory.

    :param instructions: The system message; ``{format}`` stands for the two answer lines.
    :param examples: Question and answer pairs, with the keys of the prompt file.
    :param order: ``subtask_first`` or ``memory_first``.
    :param frames: Newest images per camera that are shown; 0 shows none.
    :param cameras: Names of the cameras that are shown; None shows all.
    :param max_answer_chars: Longer answers are refused before they are read.
    """

    instructions: str
    examples: tuple[Mapping[str, str], ...] = ()
    order: str = 'subtask_first'
    frames: int = 1
    cameras: tuple[str, ...] | None = None
    max_answer_chars: int = 4000

    def __post_init__(self) -> None:
        # CHECK: the order is known
        if self.order not in ORDERS:
            raise ConfigError(f'order must be one of {sorted(ORDERS)}. Got {self.order!r}.')
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
        chat = [ChatMessage('system', self.instructions.replace('{format}', self._format()))]
        for example in self.examples:
            chat.append(ChatMessage('user', _question(
                example['goal'], example['memory'], example['last_subtask'], ())))
            chat.append(ChatMessage('assistant', self._answer(
                example['subtask'], example['new_memory'])))
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
        if len(answer) > self.max_answer_chars:
            raise OversizedAnswer(
                f'answer is too long: got {len(answer)} characters, '
                f'allowed {self.max_answer_chars}.')
        lines = answer.strip().split('\n')
        labels = ORDERS[self.order]
        if len(lines) != len(labels):
            raise MalformedAnswer(f'answer must be the lines {self._format()!r}. Got {answer!r}.')
        values = {
            label: _read_line(label, line) for label, line in zip(labels, lines, strict=True)}
        new_memory = memory if values['Memory'] == UNCHANGED else _unquote(values['Memory'])
        return Decision(_unquote(values['Subtask']), new_memory)

    def _format(self) -> str:
        return '\n'.join(f'{label}: "..."' for label in ORDERS[self.order])

    def _answer(self, subtask: str, memory: str) -> str:
        values = {'Subtask': subtask, 'Memory': memory}
        return '\n'.join(
            f'{label}: {UNCHANGED if values[label] == UNCHANGED else _quote(values[label])}'
            for label in ORDERS[self.order])

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


def _read_line(label: str, line: str) -> str:
    name, colon, value = line.partition(':')
    if name.strip() != label or not colon:
        raise MalformedAnswer(f"answer needs a line '{label}: ...'. Got {line[:80]!r}.")
    return value.strip()


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _unquote(value: str) -> str:
    if not value.startswith('"'):
        return value
    try:
        text = json.loads(value)
    except ValueError as error:
        raise MalformedAnswer(f'answer has a broken quotation: {value[:80]!r}.') from error
    if not isinstance(text, str):
        raise MalformedAnswer(f'answer must quote one text. Got {value[:80]!r}.')
    return text
