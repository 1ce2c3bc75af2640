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

"""Frames of one camera by reference: copied together only for a policy that asks for all."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from mem_vla_ros.core.types import BoolArray, FloatArray, FrameStack, ImageArray


class BufferedFrames(FrameStack):
    """
    A frame stack that shares its images with the history.

    At 18 frames, 448 pixels and four cameras a stack is 43 MB: a policy which only needs the
    newest frame, because it has kept its states of the others, should not wait for that copy.

    :param frames: K images of one shape, oldest first; None where padded.
    """

    def __init__(
        self, frames: Sequence[ImageArray | None], stamps: FloatArray, valid: BoolArray,
    ) -> None:
        object.__setattr__(self, '_frames', tuple(frames))
        object.__setattr__(self, 'stamps', stamps)
        object.__setattr__(self, 'valid', valid)

    @cached_property
    def images(self) -> ImageArray:
        """Return all frames in one array, shape (K, H, W, 3); zero where padded."""
        frames: tuple[ImageArray | None, ...] = self.__dict__['_frames']
        shape = next(frame.shape for frame in frames if frame is not None)
        stack = np.zeros((len(frames), *shape), dtype=np.uint8)
        for row, frame in zip(stack, frames, strict=True):
            if frame is not None:
                row[...] = frame
        return stack

    def frame(self, index: int) -> ImageArray:
        """Return one frame without copying the others; zero where padded."""
        frame: ImageArray | None = self.__dict__['_frames'][index]
        return self.images[index] if frame is None else frame
