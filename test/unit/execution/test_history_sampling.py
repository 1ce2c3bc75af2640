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

"""Tests of the choice of frames by stamps."""

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.execution.history_sampling import keyframes, sample_history


def grid_stream(rate: float, seconds: float) -> np.ndarray:
    return np.arange(int(rate * seconds) + 1) / rate


def jittered_stream(seed: int, rate: float = 30.0, seconds: float = 20.0) -> np.ndarray:
    noise = np.random.default_rng(seed).uniform(-0.4, 0.4, int(rate * seconds)) / rate
    return 1_760_000_000.0 + np.arange(len(noise)) / rate + noise


stamp_lists = st.lists(
    st.integers(0, 20_000), min_size=1, max_size=200, unique=True,
).map(lambda values: np.sort(np.array(values)) / 1000.0)


def test_even_stream_gives_frames_a_stride_apart():
    stamps = grid_stream(10.0, 10.0)
    sampling = sample_history(stamps, 8.0, frames=4, stride=1.0)
    np.testing.assert_allclose(stamps[sampling.indices], [5.0, 6.0, 7.0, 8.0])
    assert sampling.valid.all()
    assert sampling.error == pytest.approx(0.0, abs=1e-9)


def test_slots_before_the_first_frame_are_padded():
    sampling = sample_history([4.0, 4.1, 4.2], 4.2, frames=3, stride=1.0)
    assert sampling.indices.tolist() == [-1, -1, 2]
    assert sampling.valid.tolist() == [False, False, True]


def test_no_frames_pad_everything():
    sampling = sample_history([], 4.2, frames=2, stride=1.0)
    assert not sampling.valid.any()
    assert sampling.error == 0.0


def test_future_frames_are_not_seen():
    assert sample_history([1.0, 1.1, 1.2], 1.15, frames=1, stride=1.0).indices.tolist() == [1]


def test_old_newest_frame_is_no_current_frame():
    assert not sample_history([1.0], 1.6, frames=1, stride=1.0).valid.any()


def test_gap_leaves_one_slot_padded():
    stamps = np.concatenate([grid_stream(10.0, 3.0), 4.6 + grid_stream(10.0, 2.0)])
    sampling = sample_history(stamps, 6.0, frames=4, stride=1.0)
    assert sampling.valid.tolist() == [True, False, True, True]


def test_spacing_error_is_that_of_the_worst_frame():
    sampling = sample_history([0.0, 1.13, 2.0], 2.0, frames=3, stride=1.0, grain=0.1)
    assert sampling.valid.all()
    assert sampling.error == pytest.approx(0.13)


def test_first_frame_of_a_cell_is_its_keyframe():
    stamps = np.array([0.0, 0.03, 0.11, 0.19, 0.2, 0.35])
    assert keyframes(stamps, 0.1).tolist() == [0, 2, 4, 5]


@given(st.integers(0, 1000), st.floats(0.05, 3.0))
def test_rounding_does_not_move_a_stamp_out_of_its_cell(count, grain):
    stamps = np.arange(count, count + 5) * grain
    assert len(keyframes(stamps, grain)) == 5


@pytest.mark.parametrize('grain', [0.1, 0.2, 0.5])
def test_even_spacing_error_is_bounded_by_grain_and_period(grain):
    stamps = jittered_stream(seed=3)
    for query in np.random.default_rng(4).uniform(stamps[0] + 6.0, stamps[-1], 200):
        sampling = sample_history(stamps, query, 6, 1.0, grain=grain)
        assert sampling.valid.all()
        assert sampling.error <= grain / 2 + 1.8 / 30.0


@given(stamp_lists, st.floats(0.0, 25.0), st.integers(1, 8), st.floats(0.1, 2.0))
def test_chosen_frames_obey_the_rule_whatever_the_gaps(stamps, query, frames, stride):
    indices, valid, error = sample_history(stamps, query, frames, stride)
    chosen = stamps[indices[valid]]
    targets = (query - stride * np.arange(frames)[::-1])[valid]
    assert indices.shape == valid.shape == (frames,)
    assert np.array_equal(valid, indices >= 0)
    assert np.all(chosen <= query)
    assert np.all(np.diff(chosen) > 0)
    assert np.all(np.abs(chosen - targets) <= stride / 2 + 1e-9)
    assert error == pytest.approx(np.abs(chosen - targets).max(initial=0.0))


@given(stamp_lists, st.floats(0.0, 25.0))
def test_a_frame_near_the_target_is_never_missed(stamps, query):
    sampling = sample_history(stamps, query, 5, 1.0, grain=0.001)
    past = stamps[stamps <= query]
    for slot, valid in enumerate(sampling.valid[::-1]):
        distance = np.abs(past - (query - slot)).min(initial=np.inf)
        assert valid or distance > 0.5 - 0.002


@pytest.mark.parametrize('setting', [
    {'frames': 0}, {'stride': 0.0}, {'stride': np.nan}, {'tolerance': 0.0}, {'grain': 0.6}])
def test_impossible_setting_is_refused(setting):
    with pytest.raises(ConfigError, match=next(iter(setting))):
        sample_history([0.0], 0.0, **({'frames': 2, 'stride': 1.0} | setting))
