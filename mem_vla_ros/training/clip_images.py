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

"""Images of several clips, padded to one length."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from mem_vla_ros.training.episode import Episode


def stack_clips(
    episodes: Sequence[Episode], clips: Sequence[np.ndarray], cameras: Sequence[str],
) -> tuple[Tensor, Tensor, Tensor]:
    """
    Return images uint8 (E, C, T, 3, H, W), times float64 (E, 1, T) and valid bool (E, C, T).

    Shorter clips are padded at the end with blank frames, which are later than all real ones.
    """
    length = max(len(clip) for clip in clips)
    side = episodes[0].images[cameras[0]].shape[1:3]
    images = torch.zeros(len(clips), len(cameras), length, 3, *side, dtype=torch.uint8)
    times = torch.zeros(len(clips), 1, length, dtype=torch.float64)
    valid = torch.zeros(len(clips), len(cameras), length, dtype=torch.bool)
    for row, (episode, clip) in enumerate(zip(episodes, clips, strict=True)):
        for column, camera in enumerate(cameras):
            frames = np.ascontiguousarray(episode.images[camera][clip])
            images[row, column, :len(clip)] = torch.from_numpy(frames).permute(0, 3, 1, 2)
        times[row, 0, :len(clip)] = torch.from_numpy(episode.times[clip])
        times[row, 0, len(clip):] = episode.times[clip[-1]] + 1e3 * torch.arange(
            1, length - len(clip) + 1)
        valid[row, :, :len(clip)] = True
    return images, times, valid
