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

"""Tests of the small text tokenizer."""

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from mem_vla_ros.models.text_tokenizer import (
    byte_tokenizer,
    decode,
    encode,
    pad_ids,
    train_tokenizer,
)

TEXTS = ['open the top left drawer', 'I placed 3 bowls in the cabinet.'] * 4
BYTES, TRAINED = byte_tokenizer(), train_tokenizer(TEXTS, 400)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_any_text_survives_the_round_trip(text):
    for tokenizer in (BYTES, TRAINED):
        assert decode(tokenizer, encode(tokenizer, text)) == text


@pytest.mark.parametrize('text', ['<bos>', 'a <eos> b', '<pad><pad>', ' two  spaces ', 'a , b .'])
def test_special_tokens_in_a_text_are_only_text(text):
    ids = encode(TRAINED, text)
    assert min(ids) > 2
    assert decode(TRAINED, ids) == text


def test_known_texts_become_short():
    assert len(encode(TRAINED, TEXTS[0])) < len(encode(BYTES, TEXTS[0])) / 3


def test_digits_stay_single():
    assert len(encode(train_tokenizer(['1234 1234'] * 50, 400), '1234')) == 4


def test_training_twice_gives_the_same_tokenizer():
    assert train_tokenizer(TEXTS, 400).get_vocab() == TRAINED.get_vocab()


def test_special_tokens_have_the_ids_of_gemma():
    ids = (TRAINED.pad_token_id, TRAINED.eos_token_id, TRAINED.bos_token_id)
    assert ids == (0, 1, 2)


def test_rows_are_padded_on_the_right():
    ids, valid = pad_ids([[5, 6, 7], [8], []])
    assert ids.tolist() == [[5, 6, 7], [8, 0, 0], [0, 0, 0]]
    assert valid.sum(dim=1).tolist() == [3, 1, 0]
