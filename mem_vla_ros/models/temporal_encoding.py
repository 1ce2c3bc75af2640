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
The fixed temporal position encoding e(t) of the video encoder.

Sine and (cosine - 1) interleaved, base 10000, so that e(0) is exactly zero and a single frame
leaves the pretrained ViT untouched (paper, appendix "Space-Time separable attention").
"""

import torch
from torch import Tensor

BASE = 10000.0


def temporal_encoding(times: Tensor, width: int) -> Tensor:
    """
    Return e(t), shape (*times.shape, width), float32.

    :param times: Time relative to the reader, in units of e(t); 0 now, negative in the past.
    :param width: Width of the ViT, even.
    """
    index = torch.arange(0, width, 2, dtype=torch.float64, device=times.device)
    angle = times.double()[..., None] * BASE ** (-index / width)  # (..., width / 2)
    # cos(a) - 1 written as -2 sin^2(a/2) keeps its digits for small angles.
    pair = torch.stack([angle.sin(), -2 * (angle / 2).sin().square()], dim=-1)
    return pair.flatten(-2).float()
