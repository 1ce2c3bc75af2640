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
Gemma 3 attention with explicit keys and values, over the unmodified `transformers` layers.

Backbone and action expert share it, so that the expert can attend to the backbone's keys and
values of the same layer (joint attention), cached or not.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from transformers.models.gemma3.modeling_gemma3 import (
    apply_rotary_pos_emb,
    Gemma3Attention,
    Gemma3DecoderLayer,
    Gemma3TextModel,
)

from mem_vla_ros.models.attention_masks import window_mask

KeysValues = tuple[Tensor, Tensor]  # each (B, kv heads, S, head_dim)


@dataclass(frozen=True)
class LayerContext:
    """What attention needs beside the tokens, for one type of layer."""

    rope: tuple[Tensor, Tensor]
    mask: Tensor  # bool (B, 1, Q, S)


def layer_contexts(
    backbone: Gemma3TextModel, mask: Tensor, query: Tensor, key: Tensor, windowed: bool,
) -> dict[str, LayerContext]:
    """
    Return a context for each layer type of the backbone: RoPE base and window differ.

    :param mask: Who reads whom, bool (B, Q, S).
    :param query: Positions of the reading tokens, (B, Q).
    :param key: Positions of the tokens they may read, (B, S).
    :param windowed: Keep the sliding window of local layers.
    """
    config = backbone.config
    contexts = {}
    for kind in set(config.layer_types):
        local = windowed and kind == 'sliding_attention'
        seen = mask & window_mask(query, key, config.sliding_window) if local else mask
        like = backbone.norm.weight  # carries device and dtype
        contexts[kind] = LayerContext(backbone.rotary_emb(like, query, kind), seen[:, None])
    return contexts


def project(attention: Gemma3Attention, hidden: Tensor, rope: tuple[Tensor, Tensor]) -> tuple[
        Tensor, Tensor, Tensor]:
    """Return normed and rotated queries and keys, and values, (B, heads, S, head_dim)."""
    heads = (-1, attention.head_dim)
    q, k, v = (part(hidden).unflatten(-1, heads).transpose(1, 2) for part in (
        attention.q_proj, attention.k_proj, attention.v_proj))
    q, k = apply_rotary_pos_emb(attention.q_norm(q), attention.k_norm(k), *rope)
    return q, k, v


def attend(attention: Gemma3Attention, q: Tensor, keys_values: KeysValues, mask: Tensor) -> Tensor:
    """Return the attention output after its projection, (B, Q, width)."""
    k, v = keys_values
    groups = q.shape[1] // k.shape[1]
    # Queries that share a key head become more rows, so that keys need no copies.
    rows = q.unflatten(1, (-1, groups)).flatten(2, 3)  # (B, kv heads, groups * Q, head_dim)
    mixed = scaled_dot_product_attention(
        rows, k, v, attn_mask=mask.repeat(1, 1, groups, 1), scale=attention.scaling)
    mixed = mixed.unflatten(2, (groups, -1)).flatten(1, 2)
    return attention.o_proj(mixed.transpose(1, 2).flatten(2))


def extend(past: KeysValues | None, k: Tensor, v: Tensor) -> KeysValues:
    """Return past and new keys and values as one sequence; the past is not changed."""
    if past is None:
        return k, v
    return torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)


def run_layer(
    layer: Gemma3DecoderLayer, hidden: Tensor, context: LayerContext, past: KeysValues | None,
) -> tuple[Tensor, KeysValues]:
    """Return the layer's output, and the keys and values of the sequence so far."""
    q, k, v = project(layer.self_attn, layer.input_layernorm(hidden), context.rope)
    keys_values = extend(past, k, v)
    mixed = attend(layer.self_attn, q, keys_values, context.mask)
    hidden = hidden + layer.post_attention_layernorm(mixed)
    fed = layer.mlp(layer.pre_feedforward_layernorm(hidden))
    return hidden + layer.post_feedforward_layernorm(fed), keys_values


def run_backbone(
    backbone: Gemma3TextModel, hidden: Tensor, contexts: dict[str, LayerContext],
    past: list[KeysValues] | None = None,
) -> tuple[Tensor, list[KeysValues]]:
    """Return the final hidden states (B, Q, width) and every layer's keys and values."""
    cache = []
    for index, layer in enumerate(backbone.layers):
        context = contexts[backbone.config.layer_types[index]]
        hidden, keys_values = run_layer(layer, hidden, context, past[index] if past else None)
        cache.append(keys_values)
    return backbone.norm(hidden), cache
