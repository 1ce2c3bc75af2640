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
Form of a high-level answer: two lines, in the order that the configuration says.

::

    Subtask: "pick up the bowl"
    Memory: "I placed a plate in the cabinet."

Prompted models quote their texts, which shows where a cut answer ends; models that were trained
on the form leave the quotes out. The word ``unchanged`` without quotes keeps the memory, so that
most answers are short. Anything else is malformed.
"""

from dataclasses import dataclass
import json

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.types import Decision
from mem_vla_ros.policies.high_level_answer import MalformedAnswer, OversizedAnswer

ORDERS = {
    'subtask_first': ('Subtask', 'Memory'),
    'memory_first': ('Memory', 'Subtask'),
}
UNCHANGED = 'unchanged'


@dataclass(frozen=True)
class AnswerFormat:
    """
    Writes and reads answers.

    :param order: ``subtask_first`` or ``memory_first``.
    :param quoted: Whether written texts are quoted; both are read.
    :param max_chars: Longer answers are refused before they are read.
    """

    order: str = 'subtask_first'
    quoted: bool = True
    max_chars: int = 4000

    def __post_init__(self) -> None:
        # CHECK: the order is known
        if self.order not in ORDERS:
            raise ConfigError(f'order must be one of {sorted(ORDERS)}. Got {self.order!r}.')

    @property
    def labels(self) -> tuple[str, str]:
        """Return how the two lines begin, in order."""
        return ORDERS[self.order]

    def describe(self) -> str:
        """Return the form for an instruction."""
        return '\n'.join(f'{label}: "..."' for label in self.labels)

    def write(self, subtask: str, memory: str, previous_memory: str | None = None) -> str:
        """
        Return the answer that says this.

        :param previous_memory: If it equals the memory, the answer says ``unchanged``.
        """
        values = {'Subtask': self._quote(subtask), 'Memory': self._quote(memory)}
        if memory == previous_memory:
            values['Memory'] = UNCHANGED
        return '\n'.join(f'{label}: {values[label]}' for label in self.labels)

    def read(self, answer: str, memory: str) -> Decision:
        """
        Return the decision of an answer.

        :param memory: The memory so far, which ``unchanged`` keeps.
        :raises MalformedAnswer: if it is not exactly the two lines.
        :raises OversizedAnswer: if it is longer than ``max_chars``.
        """
        if len(answer) > self.max_chars:
            raise OversizedAnswer(
                f'answer is too long: got {len(answer)} characters, allowed {self.max_chars}.')
        lines = answer.strip().split('\n')
        if len(lines) != len(self.labels):
            raise MalformedAnswer(
                f'answer must be the lines {self.describe()!r}. Got {answer[:200]!r}.')
        values = {
            label: _value(label, line) for label, line in zip(self.labels, lines, strict=True)}
        new_memory = memory if values['Memory'] == UNCHANGED else _unquote(values['Memory'])
        return Decision(_unquote(values['Subtask']), new_memory)

    def _quote(self, text: str) -> str:
        # A text that reads as a keyword or a quotation must be quoted in any case.
        must = text == UNCHANGED or text.startswith('"')
        return json.dumps(text, ensure_ascii=False) if self.quoted or must else text


def _value(label: str, line: str) -> str:
    name, colon, value = line.partition(':')
    if name.strip() != label or not colon:
        raise MalformedAnswer(f"answer needs a line '{label}: ...'. Got {line[:80]!r}.")
    return value.strip()


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
