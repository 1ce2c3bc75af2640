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

"""Tests of the temporal position encoding."""

import math

import torch

from mem_vla_ros.models.temporal_encoding import temporal_encoding


def test_encoding_of_now_is_exactly_zero():
    assert torch.equal(temporal_encoding(torch.zeros(3), 8), torch.zeros(3, 8))


def test_encoding_interleaves_sine_and_cosine_minus_one():
    encoding = temporal_encoding(torch.tensor([-2.0]), 4)[0]
    expected = torch.tensor([
        math.sin(-2), math.cos(-2) - 1, math.sin(-0.02), math.cos(-0.02) - 1])
    torch.testing.assert_close(encoding, expected)


def test_different_past_times_have_different_encodings():
    encoding = temporal_encoding(-torch.arange(60), 32)
    distance = torch.cdist(encoding, encoding) + torch.eye(60) * 9
    assert distance.min() > 0.1
