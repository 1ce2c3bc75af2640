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
Text from outside, made harmless.

Goals, subtasks and memories come from topics and models. They are data: whatever could steer a
terminal or hide what a person reads is escaped on entry, and size is bounded.
"""

import unicodedata

from mem_vla_ros.core.errors import TextRejected

MAX_GOAL_CHARS = 2000
MAX_SUBTASK_CHARS = 200
MAX_MEMORY_CHARS = 2000

# Cc control, Cf format (bidi, zero width), Cs surrogate, Co private, Cn unassigned.
_UNSAFE_CATEGORIES = frozenset({'Cc', 'Cf', 'Cs', 'Co', 'Cn'})
_LINE_SEPARATORS = '\u2028\u2029'


def escape_unsafe(text: str) -> str:
    r"""
    Return the text with every invisible or steering character written as ``\xNN`` or ``\uNNNN``.

    Newlines and tabs become single spaces: a goal, subtask or memory is one line.
    """
    return ''.join(_escape_character(character) for character in text)


def _escape_character(character: str) -> str:
    if character in '\n\r\t' or character in _LINE_SEPARATORS:
        return ' '
    if unicodedata.category(character) not in _UNSAFE_CATEGORIES:
        return character
    code = ord(character)
    if code <= 0xFF:
        return f'\\x{code:02x}'
    return f'\\u{code:04x}' if code <= 0xFFFF else f'\\U{code:08x}'


def clean_line(text: str, what: str, max_chars: int, allow_empty: bool = False) -> str:
    """
    Return the text as one safe line without outer white space.

    :param what: Name of the text for the error message, such as ``goal``.
    :raises TextRejected: if it is empty or longer than ``max_chars``; it is never cut.
    """
    if len(text) > max_chars:
        raise TextRejected(f'{what} is too long: got {len(text)} characters, allowed {max_chars}.')
    line = ' '.join(escape_unsafe(text).split(' ')).strip()
    if not line and not allow_empty:
        raise TextRejected(f'{what} is empty; expected 1 to {max_chars} characters.')
    if len(line) > max_chars:
        raise TextRejected(
            f'{what} is too long once its control characters are escaped: '
            f'got {len(line)} characters, allowed {max_chars}.')
    return line
