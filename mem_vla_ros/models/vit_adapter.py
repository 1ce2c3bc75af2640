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
The parts of an unmodified `transformers` ViT that the video encoder needs.

Covers SigLIP, SigLIP 2, ViT, CLIP vision and DINOv2: pre-norm layers with q, k, v and output
projections. A class token counts as one more patch. The adapter owns no parameters.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter

import torch
from torch import nn, Tensor

from mem_vla_ros.models.errors import UnsupportedVitError


@dataclass(frozen=True)
class VitLayout:
    """Attribute names of one family of ViTs."""

    layers: str = 'encoder.layers'
    norm1: str = 'layer_norm1'
    attention: str = 'self_attn'
    out: str = 'out_proj'
    norm2: str = 'layer_norm2'
    final_norm: str | None = 'post_layernorm'
    # Norm between the embedding and the first layer.
    first_norm: str | None = None
    # Per-channel scale after attention and after the MLP.
    scale1: str | None = None
    scale2: str | None = None
    # Tokens in front of the patches.
    class_tokens: int = 0


LAYOUTS = {
    'siglip_vision_model': VitLayout(),
    'siglip2_vision_model': VitLayout(),
    # transformers returns CLIP's patches without the post norm, which is for its class token.
    'clip_vision_model': VitLayout(first_norm='pre_layrnorm', final_norm=None, class_tokens=1),
    'vit': VitLayout(
        layers='layers', norm1='layernorm_before', attention='attention', out='o_proj',
        norm2='layernorm_after', final_norm='layernorm', class_tokens=1),
    'dinov2': VitLayout(
        layers='encoder.layer', norm1='norm1', attention='attention', out='o_proj',
        norm2='norm2', final_norm='layernorm', scale1='layer_scale1', scale2='layer_scale2',
        class_tokens=1),
}


class VitLayer:
    """One pre-norm layer: run it as it is, or take its pieces."""

    def __init__(self, layer: nn.Module, layout: VitLayout, heads: int) -> None:
        attention = getattr(layer, layout.attention)
        self.layer, self.heads = layer, heads
        self.norm1 = getattr(layer, layout.norm1)
        self.norm2 = getattr(layer, layout.norm2)
        self.mlp = layer.mlp
        self.q, self.k, self.v = attention.q_proj, attention.k_proj, attention.v_proj
        self.out = getattr(attention, layout.out)
        self.scale1 = _optional(layer, layout.scale1)
        self.scale2 = _optional(layer, layout.scale2)

    def run(self, hidden: Tensor) -> Tensor:
        """Return the stock layer's output, (N, n, D) -> (N, n, D)."""
        return self.layer(hidden, attention_mask=None)

    def split_heads(self, tokens: Tensor) -> Tensor:
        """Return (..., n, D) as (..., heads, n, D / heads)."""
        return tokens.unflatten(-1, (self.heads, -1)).transpose(-2, -3)

    def finish(self, residual: Tensor, mixed: Tensor) -> Tensor:
        """
        Return what follows attention: output projection, residual, MLP.

        :param mixed: Attention result, (..., heads, n, D / heads).
        """
        hidden = self.scale1(self.out(mixed.transpose(-2, -3).flatten(-2))) + residual
        return self.scale2(self.mlp(self.norm2(hidden))) + hidden


class VitAdapter:
    """Embedding, layers and final norm of a ViT."""

    def __init__(self, vit: nn.Module) -> None:
        kind = vit.config.model_type
        if kind not in LAYOUTS:
            raise UnsupportedVitError(
                f"No adapter for a vision model of type '{kind}'. Known: {sorted(LAYOUTS)}.")
        layout = LAYOUTS[kind]
        heads = vit.config.num_attention_heads
        stem = getattr(vit, 'vision_model', vit)  # transformers before 5.6 nests SigLIP
        self.width = vit.config.hidden_size
        self.class_tokens = layout.class_tokens
        self.layers = [VitLayer(m, layout, heads) for m in attrgetter(layout.layers)(stem)]
        self.final_norm = _optional(stem, layout.final_norm)
        self._first_norm = _optional(stem, layout.first_norm)
        self._embed = _embedding(stem.embeddings, kind)

    def __iter__(self) -> Iterator[VitLayer]:
        return iter(self.layers)

    @property
    def device(self) -> torch.device:
        """Return where the weights are."""
        return self.layers[0].q.weight.device

    def embed(self, pixels: Tensor) -> Tensor:
        """Return patch tokens, (N, 3, H, W) -> (N, n, D)."""
        return self._first_norm(self._embed(pixels))


def _optional(module: nn.Module, name: str | None) -> Callable[[Tensor], Tensor]:
    return nn.Identity() if name is None else getattr(module, name)


def _embedding(embeddings: nn.Module, kind: str) -> Callable[[Tensor], Tensor]:
    if kind == 'siglip2_vision_model':
        return lambda pixels: _siglip2_embedding(embeddings, pixels)
    return embeddings


def _siglip2_embedding(embeddings: nn.Module, pixels: Tensor) -> Tensor:
    """Return SigLIP 2 tokens: it takes patches, and resamples its positions to the image."""
    side = embeddings.patch_size
    rows, columns = pixels.shape[-2] // side, pixels.shape[-1] // side
    patches = pixels.unflatten(-1, (columns, side)).unflatten(-3, (rows, side))
    patches = patches.permute(0, 2, 4, 3, 5, 1).flatten(3).flatten(1, 2)  # (N, n, side*side*3)
    grid = embeddings.position_embedding_size
    table = embeddings.position_embedding.weight.unflatten(0, (grid, grid))
    # All images have one size: resample once, where the stock embedding loops over images.
    positions = embeddings.resize_positional_embeddings(
        table, torch.tensor([[rows, columns]]), max_length=rows * columns)
    projection = embeddings.patch_embedding
    return projection(patches.to(projection.weight.dtype)) + positions
