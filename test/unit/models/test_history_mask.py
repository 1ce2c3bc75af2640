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

"""Tests of who may read which past frame."""

from hypothesis import given, settings
from hypothesis import strategies as st
import torch

from mem_vla_ros.models.history_mask import band_mask, stride_mask


def test_band_reads_itself_and_the_slots_before_it():
    mask = band_mask(torch.ones(4, dtype=torch.bool), 2)
    assert mask.int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]


def test_padded_frame_is_read_by_nobody_but_itself():
    mask = band_mask(torch.tensor([False, True, True]), 3)
    assert mask.int().tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 1]]


def test_stride_mask_of_frames_at_the_stride_is_the_band():
    valid = torch.tensor([True, True, False, True, True, True])
    times = torch.arange(6).double() * 0.5
    assert torch.equal(stride_mask(times, valid, 3, 0.5), band_mask(valid, 3))


def test_stride_mask_of_fast_frames_skips_those_in_between():
    times = torch.arange(7).double() * 0.5
    mask = stride_mask(times, torch.ones(7, dtype=torch.bool), 3, 1.0)
    assert mask[6].int().tolist() == [0, 0, 1, 0, 1, 0, 1]


def test_stride_mask_leaves_a_slot_empty_when_no_frame_is_near():
    times = torch.tensor([0.0, 1.0, 3.0]).double()
    mask = stride_mask(times, torch.ones(3, dtype=torch.bool), 3, 1.0)
    assert mask[2].int().tolist() == [0, 1, 1]


@settings(max_examples=50, deadline=None)
@given(
    gaps=st.lists(st.floats(0.01, 3), min_size=1, max_size=12), frames=st.integers(1, 6),
    stride=st.floats(0.1, 2))
def test_stride_mask_is_causal_and_reads_at_most_the_frames_asked_for(gaps, frames, stride):
    times = torch.tensor(gaps).double().cumsum(0)
    mask = stride_mask(times, torch.ones(len(gaps), dtype=torch.bool), frames, stride)
    assert mask.diagonal().all()
    assert not mask.triu(1).any()
    assert mask.sum(-1).max() <= frames
