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
Attention of a space-time layer: values are mixed over time, then over space.

The two attentions are composed, not stacked: one set of projections, one residual, no new
parameter. Cost O(T n^2 + n T^2) for T frames of n patches.
"""

import torch
from torch import Tensor
from torch.nn.functional import linear, scaled_dot_product_attention

from mem_vla_ros.models.vit_adapter import VitLayer


def mix_over_time(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor,
    key_offset: Tensor | None = None, value_offset: Tensor | None = None,
) -> Tensor:
    """
    Return the values of the same patch, averaged over the frames that a query may read.

    With one readable frame its weight is exactly 1 and the values pass through unchanged.

    :param q: Queries (..., h, n, Q, d) of Q reading frames.
    :param k: Keys (..., h, n, T, d) of T frames; v likewise.
    :param mask: Bool (..., Q, T), True where frame T may be read.
    :param key_offset: Added to the key of a pair of frames, (..., h, Q, T, d), any patch.
    :returns: Mixed values (..., h, n, Q, d).
    """
    scores = q @ k.transpose(-1, -2)  # (..., h, n, Q, T)
    if key_offset is not None:
        scores = scores + (q.transpose(-2, -3) @ key_offset.transpose(-1, -2)).transpose(-2, -3)
    scores = scores * q.shape[-1] ** -0.5
    scores = scores.masked_fill(~mask[..., None, None, :, :], -torch.inf)
    weights = scores.softmax(dim=-1, dtype=torch.float32).to(v.dtype)
    mixed = weights @ v
    if value_offset is not None:
        mixed = mixed + (weights.transpose(-2, -3) @ value_offset).transpose(-2, -3)
    return mixed


def time_offsets(layer: VitLayer, encoding: Tensor) -> tuple[Tensor, Tensor]:
    """
    Return W_k e and W_v e of pairs of frames, (..., Q, T, D) -> (..., h, Q, T, d).

    The bias stays out: it is in the frame's own key and value already.
    """
    encoding = encoding.to(layer.k.weight.dtype)
    offsets = (linear(encoding, part.weight) for part in (layer.k, layer.v))
    key, value = (o.unflatten(-1, (layer.heads, -1)).movedim(-2, -4) for o in offsets)
    return key, value


def mix_over_space(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Return stock attention inside each frame, all (..., h, n, d)."""
    shape = q.shape
    q, k, v = (x.reshape(-1, *shape[-3:]) for x in (q, k, v))
    return scaled_dot_product_attention(q, k, v).view(shape)
