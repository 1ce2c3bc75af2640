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
The action expert: a narrow Gemma beside the backbone that denoises action chunks.

It has as many layers, heads and head widths as the backbone; layer i attends to the keys and
values of backbone layer i and to its own rows. The flow time enters through adaptive RMS norms
(pi0.5): scale, shift and a gate on the residual, all zero at the start.
"""

import math
from typing import Any

import torch
from torch import nn, Tensor
from transformers import Gemma3TextConfig
from transformers.models.gemma3.modeling_gemma3 import Gemma3Attention, Gemma3MLP

from mem_vla_ros.models.gemma_attention import attend, extend, KeysValues, LayerContext, project


class AdaptiveNorm(nn.Module):
    """RMS norm whose scale, shift and residual gate follow the flow time."""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.eps = eps
        self.modulation = nn.Linear(width, 3 * width)
        nn.init.zeros_(self.modulation.weight)
        nn.init.zeros_(self.modulation.bias)

    def forward(self, hidden: Tensor, condition: Tensor) -> tuple[Tensor, Tensor]:
        """Return the normed rows and the gate; condition is (B, 1 or H, width)."""
        scale, shift, gate = self.modulation(condition).chunk(3, dim=-1)
        exact = hidden.float()
        normed = exact * torch.rsqrt(exact.square().mean(-1, keepdim=True) + self.eps)
        return normed.type_as(hidden) * (1 + scale) + shift, gate


class ExpertLayer(nn.Module):
    """One layer: joint attention and MLP, each gated by the flow time."""

    def __init__(self, config: Gemma3TextConfig, index: int) -> None:
        super().__init__()
        self.norm1 = AdaptiveNorm(config.hidden_size, config.rms_norm_eps)
        self.self_attn = Gemma3Attention(config, index)
        self.norm2 = AdaptiveNorm(config.hidden_size, config.rms_norm_eps)
        self.mlp = Gemma3MLP(config)

    def forward(
        self, hidden: Tensor, condition: Tensor, context: LayerContext, prefix: KeysValues,
    ) -> Tensor:
        """Return the rows after this layer, (B * N, H, width)."""
        rows, gate = self.norm1(hidden, condition)
        # Chunks of the same prefix become one long sequence, so that it needs no copies.
        joined = rows.view(len(prefix[0]), -1, rows.shape[-1])
        q, k, v = project(self.self_attn, joined, context.rope)
        mixed = attend(self.self_attn, q, extend(prefix, k, v), context.mask)
        hidden = hidden + gate * mixed.view_as(hidden)
        rows, gate = self.norm2(hidden, condition)
        return hidden + gate * self.mlp(rows)


class ActionExpert(nn.Module):
    """From a noisy chunk and its flow times to a prediction."""

    def __init__(
        self, backbone: dict[str, Any], width: int, mlp: int, action_dim: int,
        motion_dim: int = 0,
    ) -> None:
        """
        Make the expert beside a backbone.

        :param motion_dim: Width of the state and velocity that it reads directly; 0 for none.
        """
        super().__init__()
        config = Gemma3TextConfig(**{**backbone, 'hidden_size': width, 'intermediate_size': mlp})
        self.width, self.layer_types = width, config.layer_types
        self.action_in = nn.Linear(action_dim, width)
        if motion_dim:
            self.motion_in = nn.Linear(motion_dim, width, bias=False)
            nn.init.zeros_(self.motion_in.weight)
        self.time_mlp = nn.Sequential(
            nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.layers = nn.ModuleList(
            ExpertLayer(config, i) for i in range(config.num_hidden_layers))
        self.norm = AdaptiveNorm(width, config.rms_norm_eps)
        self.action_out = nn.Linear(width, action_dim)

    def forward(
        self, chunk: Tensor, tau: Tensor, contexts: dict[str, LayerContext],
        keys_values: list[KeysValues], motion: Tensor | None = None,
    ) -> Tensor:
        """
        Return the prediction, float32, (B * N, H, A).

        :param chunk: Noisy actions, N for each row of the prefix, (B * N, H, A).
        :param tau: Flow time, (B * N, 1) for a whole chunk or (B * N, H) per row; 1 noise, 0 data.
        :param keys_values: The prefix, per backbone layer.
        :param motion: Newest state and velocity, (B, motion_dim).
        """
        weight = self.action_in.weight
        condition = self.time_mlp(time_encoding(tau, self.width).to(weight.dtype))
        hidden = self.action_in(chunk.to(weight.dtype))
        if motion is not None:
            each = self.motion_in(motion.to(weight.dtype))
            hidden = hidden + each.repeat_interleave(len(hidden) // len(each), 0)[:, None]
        for kind, layer, prefix in zip(self.layer_types, self.layers, keys_values, strict=True):
            hidden = layer(hidden, condition, contexts[kind], prefix)
        return self.action_out(self.norm(hidden, condition)[0]).float()


def time_encoding(tau: Tensor, width: int) -> Tensor:
    """Return sines and cosines of the flow time, periods 0.004 to 4, (..., width)."""
    share = torch.linspace(0, 1, width // 2, dtype=torch.float64, device=tau.device)
    angle = tau.double()[..., None] * 2 * math.pi / (4e-3 * (4.0 / 4e-3) ** share)
    return torch.cat([angle.sin(), angle.cos()], dim=-1).float()
