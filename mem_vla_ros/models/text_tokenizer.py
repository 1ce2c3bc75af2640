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
The text tokenizer of small models, and how text is encoded for every model.

Byte-level BPE, so that any text survives the round trip; digits stay single. Big models bring
their own tokenizer of the same class.
"""

from collections.abc import Iterable, Sequence

from tokenizers import decoders, models, pre_tokenizers, Tokenizer, trainers
import torch
from torch import Tensor
from transformers import PreTrainedTokenizerFast

# Ids 0, 1, 2, as in Gemma.
SPECIALS = ('<pad>', '<eos>', '<bos>')


def train_tokenizer(texts: Iterable[str], vocab_size: int = 512) -> PreTrainedTokenizerFast:
    """
    Return a tokenizer that writes the given texts in few tokens, and any other text in more.

    :param vocab_size: At least 259: the special tokens and one token per byte.
    """
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False)])
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, show_progress=False, special_tokens=list(SPECIALS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    bpe.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe, pad_token='<pad>', eos_token='<eos>', bos_token='<bos>',
        clean_up_tokenization_spaces=False)


def byte_tokenizer() -> PreTrainedTokenizerFast:
    """Return the tokenizer without any merge: one token per byte."""
    return train_tokenizer([], vocab_size=len(SPECIALS) + 256)


def encode(tokenizer: PreTrainedTokenizerFast, text: str) -> list[int]:
    """Return the ids of a text, without `<bos>`; a special token spelt out is plain text."""
    return tokenizer.encode(text, add_special_tokens=False, split_special_tokens=True)


def pad_ids(rows: Sequence[Sequence[int]], pad: int = 0) -> tuple[Tensor, Tensor]:
    """Return ids padded on the right, long (B, L), and which exist, bool (B, L)."""
    length = max(1, *(len(row) for row in rows))
    ids = torch.full((len(rows), length), pad, dtype=torch.long)
    valid = torch.zeros(len(rows), length, dtype=torch.bool)
    for index, row in enumerate(rows):
        ids[index, :len(row)] = torch.tensor(row, dtype=torch.long)
        valid[index, :len(row)] = True
    return ids, valid


def decode(tokenizer: PreTrainedTokenizerFast, ids: Sequence[int]) -> str:
    """Return the text of ids."""
    return tokenizer.decode(ids, skip_special_tokens=True)
