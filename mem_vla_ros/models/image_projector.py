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
From a ViT's patches to the image tokens of the backbone.

Gemma 3 averages squares of patches. A small ViT has too few channels to say in an average where
in the square something is, so `concat` puts the patches of a square side by side instead.
"""

import torch
from torch import nn, Tensor
from transformers.models.gemma3.modeling_gemma3 import Gemma3MultiModalProjector, Gemma3RMSNorm

from mem_vla_ros.models.config import MemVlaConfig


def make_projector(config: MemVlaConfig) -> nn.Module:
    """Return Gemma 3's own projector, or the one that keeps every patch."""
    projector = (ConcatProjector(config) if config.patch_merge == 'concat'
                 else Gemma3MultiModalProjector(config.gemma_config))
    # Gemma's class starts this at zero, because it always loads it.
    weight = projector.mm_input_projection_weight
    nn.init.normal_(weight, std=weight.shape[0] ** -0.5)
    return projector


class ConcatProjector(nn.Module):
    """Squares of patches side by side, normed and projected; named as in Gemma's projector."""

    def __init__(self, config: MemVlaConfig) -> None:
        super().__init__()
        vision = config.vision_config
        self.side = config.patches_per_side
        self.square = self.side // round(config.tokens_per_image ** 0.5)
        channels = self.square ** 2 * vision.hidden_size
        self.mm_soft_emb_norm = Gemma3RMSNorm(channels, eps=vision.layer_norm_eps)
        self.mm_input_projection_weight = nn.Parameter(
            torch.zeros(channels, config.text_config.hidden_size))

    def forward(self, patches: Tensor) -> Tensor:
        """Return patches (B, n, D), row by row, as tokens (B, S, width)."""
        grid = patches.unflatten(1, (self.side // self.square, self.square, -1, self.square))
        squares = grid.transpose(2, 3).flatten(3).flatten(1, 2)
        return self.mm_soft_emb_norm(squares) @ self.mm_input_projection_weight
