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
The streaming video memory of one robot: frames are encoded once, as they come due.

An observation names K frames per camera by their stamps. The newest is new; the older ones have
been encoded at an earlier inference, unless inference was slow or has just begun. Those are
encoded first, so that how fast a policy thinks does not change what it sees.
"""

from collections.abc import Sequence

import numpy as np
import torch

from mem_vla_ros.core.types import Observation
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.prefix import ImageTokens

# Kept frames per stride: inference rarely runs more often, and the oldest are overwritten.
_SLOTS_PER_STRIDE = 12


class FrameStream:
    """
    Image tokens of the newest frames, with all that the streaming encoder remembers.

    :param tolerance: A frame counts as seen if one of the same camera was encoded within this
        time of it [s].
    """

    def __init__(self, model: MemVLA, cameras: Sequence[str], tolerance: float) -> None:
        config = model.config
        self._model = model
        self._cameras = tuple(cameras)
        self._tolerance = tolerance
        self._stream = model.stream(
            stride_s=config.stride_s,
            slots=max(config.frames, 1 + (config.frames - 1) * _SLOTS_PER_STRIDE),
            max_age_s=(config.frames - 0.5) * config.stride_s)
        self._seen = [np.empty(0) for _ in self._cameras]

    def reset(self) -> None:
        """Forget the episode."""
        self._stream.reset()
        self._seen = [np.empty(0) for _ in self._cameras]

    def tokens(self, observation: Observation) -> ImageTokens:
        """Return the image tokens of the observation's newest frames."""
        stacks = [observation.cameras[name] for name in self._cameras]
        for slot in range(len(stacks[0].stamps) - 1):
            missing = [
                bool(stack.valid[slot]) and not self._has(camera, stack.stamps[slot])
                for camera, stack in enumerate(stacks)]
            if any(missing):
                self._step(stacks, slot, missing)
        return self._step(stacks, -1, [bool(stack.valid[-1]) for stack in stacks])

    def _has(self, camera: int, stamp: float) -> bool:
        seen = self._seen[camera]
        return bool(seen.size) and float(np.abs(seen - stamp).min()) <= self._tolerance

    def _step(self, stacks: list, slot: int, valid: list[bool]) -> ImageTokens:
        images = np.stack([stack.frame(slot) for stack in stacks])  # (C, H, W, 3)
        stamps = np.array([stack.stamps[slot] for stack in stacks])
        for camera in np.flatnonzero(valid):
            recent = self._seen[camera][-256:]
            self._seen[camera] = np.append(recent, stamps[camera])
        return self._model.encode_step(
            self._stream, torch.from_numpy(images).permute(0, 3, 1, 2)[None],
            torch.from_numpy(stamps)[None], torch.tensor([valid]))


def stream_of(model: MemVLA) -> FrameStream | None:
    """Return an empty stream, or None if the model's memory has no streaming form."""
    config = model.config
    if config.memory != 'video' or config.position_mode != 'relative':
        return None
    return FrameStream(model, config.cameras, config.stride_s / 4)
