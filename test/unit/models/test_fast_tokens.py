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

"""Tests of FAST action tokens."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from tokenizers import ByteLevelBPETokenizer

from mem_vla_ros.models.errors import CheckpointError, ShapeError
from mem_vla_ros.models.fast_tokens import FastTokenizer

H, D = 16, 4


def smooth_chunks(count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    phase, speed = rng.uniform(0, 6, (2, count, 1, D))
    return np.sin(phase + speed * np.linspace(0, 1, H)[None, :, None]) * 0.9


@pytest.fixture(scope='module')
def fast() -> FastTokenizer:
    return FastTokenizer.fit(smooth_chunks(300), vocab_size=512)


def test_round_trip_error_is_bounded_by_the_rounding(fast):
    # Each of H coefficients is off by at most half a level, and the transform is orthonormal.
    bound = 0.5 / fast.scale * np.sqrt(H)
    for chunk in smooth_chunks(50):
        decoded, whole = fast.decode(fast.encode(chunk), H, D)
        assert whole
        assert np.abs(decoded - chunk).max() <= bound


def test_smooth_chunks_need_few_tokens(fast):
    lengths = [len(fast.encode(chunk)) for chunk in smooth_chunks(50, seed=1)]
    assert np.mean(lengths) < 0.5 * H * D


@settings(max_examples=30, deadline=None)
@given(scale=st.floats(1, 1e6), sign=st.sampled_from([-1, 1]))
def test_values_out_of_range_are_clipped_on_both_sides_and_still_decode(fast, scale, sign):
    decoded, whole = fast.decode(fast.encode(np.full((H, D), sign * scale)), H, D)
    assert whole
    assert np.isfinite(decoded).all()


def test_broken_sequence_is_flagged_and_filled(fast):
    ids = fast.encode(smooth_chunks(1)[0])
    decoded, whole = fast.decode(ids[:-1], H, D)
    assert not whole
    assert decoded.shape == (H, D)
    assert not fast.decode([*ids, *ids], H, D)[1]


def test_saved_tokenizer_writes_the_same_tokens(fast, tmp_path):
    fast.save(tmp_path)
    loaded = FastTokenizer.load(tmp_path)
    chunk = smooth_chunks(1)[0] * 2
    assert loaded.encode(chunk) == fast.encode(chunk)
    assert loaded.vocab_size == fast.vocab_size


def test_universal_layout_with_a_byte_level_tokenizer_round_trips(tmp_path):
    # The published tokenizer is byte-level, stores no upper bound, and min_token -354.
    universal = ByteLevelBPETokenizer()
    universal.train_from_iterator([''.join(map(chr, range(700)))] * 2, vocab_size=600)
    universal.save(str(tmp_path / 'tokenizer.json'))
    (tmp_path / 'processor_config.json').write_text(json.dumps(
        {'scale': 10, 'vocab_size': 600, 'min_token': -354, 'action_dim': None}))
    fast = FastTokenizer.load(tmp_path)
    chunk = smooth_chunks(1)[0]
    decoded, whole = fast.decode(fast.encode(chunk), H, D)
    assert whole
    assert np.abs(decoded - chunk).max() <= 0.5 / 10 * np.sqrt(H)


def test_vocabulary_smaller_than_the_levels_is_refused():
    with pytest.raises(ShapeError, match='levels'):
        FastTokenizer.fit(smooth_chunks(20), vocab_size=8)


def test_damaged_tokenizer_file_is_refused_by_name(fast, tmp_path):
    fast.save(tmp_path)
    (tmp_path / 'tokenizer.json').write_text('{')
    with pytest.raises(CheckpointError, match=tmp_path.name):
        FastTokenizer.load(tmp_path)
