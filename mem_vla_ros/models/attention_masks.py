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
Attention masks and positions of the backbone and the expert.

A sequence is cut into blocks that are numbered upwards: a token reads the valid tokens of its own
and of earlier blocks. `<bos>`, images and states share block 0 and read each other; each text or
FAST token is a block of its own, which makes it causal. The expert's rows read the whole prefix
and each other; nothing before them reads them.
"""

import torch
from torch import Tensor


def block_mask(blocks: Tensor, valid: Tensor) -> Tensor:
    """
    Return who reads whom, bool (B, S, S).

    :param blocks: Block number of each token, (S,).
    :param valid: Tokens that exist, bool (B, S). Padding reads itself only, harmlessly.
    """
    reads = blocks[:, None] >= blocks[None, :]
    own = torch.eye(len(blocks), dtype=torch.bool, device=valid.device)
    return (reads & valid[:, None, :]) | own


def positions_of(valid: Tensor) -> Tensor:
    """Return RoPE positions that skip padding, (B, S)."""
    return (valid.long().cumsum(dim=-1) - 1).clamp_min(0)


def window_mask(query: Tensor, key: Tensor, window: int) -> Tensor:
    """Return which keys lie inside Gemma's sliding window, (B, Q), (B, S) -> (B, Q, S)."""
    return query[:, :, None] - key[:, None, :] < window
