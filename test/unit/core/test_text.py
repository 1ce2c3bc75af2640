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

"""Text from outside is made harmless and never cut."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
import pytest

from mem_vla_ros.core.errors import TextRejected
from mem_vla_ros.core.text import clean_line, escape_unsafe


@given(st.text())
def test_nothing_that_steers_a_terminal_survives(text):
    categories = {unicodedata.category(character) for character in escape_unsafe(text)}
    assert not categories & {'Cc', 'Cf', 'Cs', 'Co', 'Cn', 'Zl', 'Zp'}


@given(st.text(alphabet=st.characters(categories=['L', 'N', 'P', 'S'])))
def test_ordinary_text_is_left_alone(text):
    assert escape_unsafe(text) == text


def test_ansi_and_bidi_are_visible_as_escapes():
    assert escape_unsafe('a\x1b[31mb\u202ec') == 'a\\x1b[31mb\\u202ec'


def test_lines_become_one_line():
    assert clean_line('  open\nthe\tdrawer ', 'goal', 50) == 'open the drawer'


@pytest.mark.parametrize('length', [1, 10])
def test_lengths_up_to_the_limit_pass(length):
    assert clean_line('x' * length, 'goal', 10) == 'x' * length


@pytest.mark.parametrize('text', ['x' * 11, 'x' * 10_000_000])
def test_longer_text_is_rejected_and_the_limit_named(text):
    with pytest.raises(TextRejected, match=f'got {len(text)} characters, allowed 10'):
        clean_line(text, 'goal', 10)


def test_empty_text_is_rejected_unless_allowed():
    with pytest.raises(TextRejected, match='goal is empty'):
        clean_line(' \n', 'goal', 10)
    assert clean_line('', 'memory', 10, allow_empty=True) == ''


def test_escaping_must_not_outgrow_the_limit():
    with pytest.raises(TextRejected, match='once its control characters are escaped'):
        clean_line('\x00' * 6, 'goal', 10)
