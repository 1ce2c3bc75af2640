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
Which past frames a frame may attend to.

Frames are ordered oldest first. A mask is boolean, True where the frame of the row reads the
frame of the column. A frame always reads itself, so that no softmax row is empty.
"""

import torch
from torch import Tensor


def band_mask(valid: Tensor, frames: int) -> Tensor:
    """
    Return the causal band: every frame reads itself and the frames - 1 slots before it.

    :param valid: Frames that exist, bool (..., T); padding is never read.
    :returns: Bool (..., T, T).
    """
    index = torch.arange(valid.shape[-1], device=valid.device)
    lag = index[:, None] - index[None, :]
    return ((lag >= 0) & (lag < frames) & valid[..., None, :]) | (lag == 0)


def stride_mask(times: Tensor, valid: Tensor, frames: int, stride_s: float) -> Tensor:
    """
    Return, for every frame, the frames nearest to 1, 2 ... frames - 1 strides before it.

    This is the band of a video sampled at the stride, for frames that come more often.

    :param times: Stamps in seconds, increasing, (..., T).
    :param valid: Frames that exist, bool (..., T).
    :returns: Bool (..., T, T).
    """
    ages = times[..., :, None] - times[..., None, :]
    own = torch.eye(times.shape[-1], dtype=torch.bool, device=times.device)
    return select_by_stride(ages, valid[..., None, :], frames, stride_s) | own


def select_by_stride(ages: Tensor, valid: Tensor, frames: int, stride_s: float) -> Tensor:
    """
    Return which of the frames with the given ages fill the slots 1 ... frames - 1.

    A slot takes the frame nearest to its age, if it is less than half a stride away.

    :param ages: Seconds before the reading frame, (..., T); a frame younger than 0 is unseen.
    """
    ages, valid = torch.broadcast_tensors(ages, valid)
    if frames == 1:
        return torch.zeros_like(valid)
    slots = torch.arange(1, frames, device=ages.device) * stride_s
    miss = (ages[..., None, :] - slots[:, None]).abs()  # (..., frames - 1, T)
    miss = miss.masked_fill(~(valid & (ages > 0))[..., None, :], torch.inf)
    best, index = miss.min(dim=-1)
    taken = torch.zeros_like(ages, dtype=torch.long)
    return taken.scatter_add(-1, index, (best < stride_s / 2).long()) > 0
