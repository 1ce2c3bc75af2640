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

"""Budget of the language memory: how long it may become, in characters and in tokens."""

from collections.abc import Callable
from dataclasses import dataclass
import re

from mem_vla_ros.core.errors import ConfigError, TextRejected
from mem_vla_ros.core.text import clean_line, MAX_MEMORY_CHARS

_PIECES = re.compile(r'\w+|[^\w\s]')
_CHARS_PER_TOKEN = 6


def estimate_tokens(text: str) -> int:
    """
    Return about how many tokens a language model needs for the text.

    A word of up to six characters and each punctuation mark count as one token, longer words as
    more. Common vocabularies need no more than this for English; pass a tokenizer's own count
    where the exact number matters.
    """
    return sum(-(-len(piece) // _CHARS_PER_TOKEN) for piece in _PIECES.findall(text))


@dataclass(frozen=True)
class MemoryBudget:
    """
    Upper bounds of one memory text.

    :param max_chars: Characters, after unsafe ones are escaped.
    :param max_tokens: Tokens, as ``count_tokens`` counts them.
    """

    max_chars: int = 800
    max_tokens: int = 200
    count_tokens: Callable[[str], int] = estimate_tokens

    def __post_init__(self) -> None:
        # CHECK: bounds are usable
        if not 1 <= self.max_chars <= MAX_MEMORY_CHARS:
            raise ConfigError(
                f'Memory budget: max_chars must be 1 to {MAX_MEMORY_CHARS}. '
                f'Got {self.max_chars}.')
        if self.max_tokens < 1:
            raise ConfigError(f'Memory budget: max_tokens must be above 0. Got {self.max_tokens}.')

    def fits(self, text: str) -> bool:
        """Return whether the text is within both bounds."""
        return len(text) <= self.max_chars and self.count_tokens(text) <= self.max_tokens

    def clean(self, text: str) -> str:
        """
        Return the text as one safe line within the budget; it may be empty.

        :raises TextRejected: if it is longer than the budget; it is never cut.
        """
        line = clean_line(text, 'memory', self.max_chars, allow_empty=True)
        tokens = self.count_tokens(line)
        if tokens > self.max_tokens:
            raise TextRejected(
                f'memory is too long: got {tokens} tokens, allowed {self.max_tokens}.')
        return line
