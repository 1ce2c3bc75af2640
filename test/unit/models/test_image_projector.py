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

"""Tests of the ways in which patches become image tokens."""

import pytest
import torch
from transformers.models.gemma3.modeling_gemma3 import Gemma3MultiModalProjector

from mem_vla_ros.models.image_projector import ConcatProjector, make_projector


def test_mean_is_gemmas_own_projector(small_config):
    projector = make_projector(small_config())
    assert type(projector) is Gemma3MultiModalProjector
    assert projector.mm_input_projection_weight.any()


@torch.no_grad()
def test_concat_keeps_every_patch_of_a_square_in_its_place(small_config):
    config = small_config(patch_merge='concat')  # 4 x 4 patches, 4 tokens
    projector = make_projector(config)
    assert isinstance(projector, ConcatProjector)
    plain = torch.randn(1, 16, config.vision_config.hidden_size)
    changed = plain.clone()
    changed[0, 7] += 1  # row 1, column 3: the upper right square
    moved = (projector(changed) - projector(plain)).abs().sum(-1)[0]
    assert [bool(token) for token in moved] == [False, True, False, False]
    swapped = plain[:, [0, 1, 3, 2, *range(4, 16)]]  # within the upper right square
    assert not torch.allclose(projector(swapped)[0, 1], projector(plain)[0, 1])


@pytest.mark.parametrize('merge', ['mean', 'concat'])
@torch.no_grad()
def test_equal_patches_give_equal_tokens(small_config, merge):
    config = small_config(patch_merge=merge)
    patch = torch.randn(config.vision_config.hidden_size)
    tokens = make_projector(config)(patch.expand(1, 16, -1))
    torch.testing.assert_close(tokens, tokens[:, :1].expand_as(tokens))
