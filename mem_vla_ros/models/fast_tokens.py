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
FAST: action chunks as few discrete tokens (arXiv 2501.09747).

A chunk is cosine-transformed over time, rounded, written frequency by frequency as a string with
one character per coefficient, and compressed by byte-pair encoding. Fitted to data, or loaded
from the universal tokenizer's files; no code comes from a hub.
"""

from collections.abc import Iterable
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct, idct
from tokenizers import decoders, models, Tokenizer, trainers

from mem_vla_ros.models.errors import CheckpointError, ShapeError

# Characters from here on are surrogates, which no string may hold.
_MAX_SYMBOLS = 0xD800


class FastTokenizer:
    """Chunks to token ids and back."""

    def __init__(
        self, bpe: Tokenizer, scale: float, low: int, high: int | None = None,
    ) -> None:
        """
        Take the parts.

        :param scale: Coefficients are multiplied by it before rounding.
        :param low: Coefficient of character 0; smaller ones are clipped.
        :param high: Largest coefficient that has a character; larger ones are clipped.
        """
        self.bpe, self.scale, self.low = bpe, scale, low
        self.high = low + _MAX_SYMBOLS - 1 if high is None else high

    @property
    def vocab_size(self) -> int:
        """Return the number of token ids."""
        return self.bpe.get_vocab_size()

    @classmethod
    def fit(
        cls, chunks: NDArray[np.floating], vocab_size: int = 1024, scale: float = 10.0,
    ) -> 'FastTokenizer':
        """
        Return a tokenizer fitted to normalised chunks (N, H, D).

        :raises ShapeError: if the vocabulary cannot even hold one token per coefficient.
        """
        levels = np.stack([_coefficients(chunk, scale) for chunk in chunks])
        low, high = int(levels.min()), int(levels.max())
        if high - low >= vocab_size:
            raise ShapeError(
                f'Coefficients span {high - low + 1} levels, the vocabulary has {vocab_size}. '
                'Lower the scale or raise the vocabulary.')
        bpe = Tokenizer(models.BPE())
        bpe.decoder = decoders.Fuse()
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size, show_progress=False, max_token_length=10000,
            initial_alphabet=[chr(i) for i in range(high - low + 1)])
        bpe.train_from_iterator((_text(level, low) for level in levels), trainer)
        return cls(bpe, scale, low, high)

    def encode(self, chunk: NDArray[np.floating]) -> list[int]:
        """Return the tokens of a normalised chunk (H, D)."""
        levels = _coefficients(chunk, self.scale).clip(self.low, self.high)
        return self.bpe.encode(_text(levels, self.low), add_special_tokens=False).ids

    def decode(
        self, ids: Iterable[int], horizon: int, dim: int,
    ) -> tuple[NDArray[np.float64], bool]:
        """
        Return the chunk (horizon, dim), and whether the tokens made a whole one.

        A broken sequence is cut or filled with zeros to look at; never execute it.
        """
        text = self.bpe.decode(list(ids), skip_special_tokens=False)
        levels = np.zeros(horizon * dim)
        symbols = np.array([ord(c) + self.low for c in text[:horizon * dim]], dtype=float)
        levels[:len(symbols)] = symbols
        chunk = idct(levels.reshape(horizon, dim) / self.scale, axis=0, norm='ortho')
        return chunk, len(text) == horizon * dim

    def save(self, folder: Path) -> None:
        """Write the tokenizer in the universal tokenizer's layout."""
        folder.mkdir(parents=True, exist_ok=True)
        self.bpe.save(str(folder / 'tokenizer.json'))
        (folder / 'processor_config.json').write_text(json.dumps({
            'scale': self.scale, 'min_token': self.low, 'max_token': self.high,
            'vocab_size': self.vocab_size}, indent=2) + '\n')

    @classmethod
    def load(cls, folder: Path) -> 'FastTokenizer':
        """
        Read a fitted tokenizer, or a download of `physical-intelligence/fast`.

        :raises CheckpointError: if a file is missing or damaged.
        """
        try:
            config = json.loads((folder / 'processor_config.json').read_text())
            bpe = Tokenizer.from_str((folder / 'tokenizer.json').read_text())
            return cls(bpe, config['scale'], config['min_token'], config.get('max_token'))
        except Exception as error:  # `tokenizers` raises bare Exception
            raise CheckpointError(f'{folder}: no usable FAST tokenizer: {error}.') from error


def _coefficients(chunk: NDArray[np.floating], scale: float) -> NDArray[np.int64]:
    """Return rounded cosine coefficients, frequency by frequency, (H * D,)."""
    return np.rint(scale * dct(np.asarray(chunk), axis=0, norm='ortho')).astype(np.int64).ravel()


def _text(levels: NDArray[np.int64], low: int) -> str:
    return ''.join(map(chr, levels - low))
