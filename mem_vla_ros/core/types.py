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
Observation, chunk and decision: the values that pass between the parts.

::

    Observation                  what a policy sees at one moment
    |- stamp                     sensor time up to which everything was seen [s]
    |- cameras: name -> FrameStack
    |    |- images   (K, H, W, 3)  uint8 RGB, oldest first, newest last
    |    |- stamps   (K,)          float64 [s], NaN where padded
    |    `- valid    (K,)          bool, False where padded (image is zero there)
    `- joints: JointStack
         |- positions (K, J)       float64 [rad or m], in the robot file's order
         |- stamps    (K,)         float64 [s], NaN where padded
         `- valid     (K,)         bool

Stamps are sensor time (header stamps, which may be simulated) in seconds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
ImageArray = NDArray[np.uint8]


@dataclass(frozen=True)
class FrameStack:
    """K frames of one camera, oldest first."""

    images: ImageArray
    stamps: FloatArray
    valid: BoolArray

    def frame(self, index: int) -> ImageArray:
        """Return one frame; cheaper than ``images`` where the frames lie apart."""
        frame: ImageArray = self.images[index]
        return frame


@dataclass(frozen=True)
class JointStack:
    """K joint positions, oldest first."""

    positions: FloatArray
    stamps: FloatArray
    valid: BoolArray


@dataclass(frozen=True)
class Observation:
    """What a policy sees at one moment: the last K frames per camera and joint states."""

    stamp: float
    cameras: Mapping[str, FrameStack]
    joints: JointStack
    # How fast the joints have just moved, shape (J,); None where nobody knows.
    velocity: FloatArray | None = None

    @property
    def position(self) -> FloatArray:
        """Return the newest joint positions, shape (J,)."""
        newest: FloatArray = self.joints.positions[-1]
        return newest


@dataclass(frozen=True)
class ActionChunk:
    """
    Joint targets for the near future: row i is where the joints shall be at ``stamp + i * dt``.

    Between rows the target moves linearly, so row 0 is where the target stands at ``stamp``.

    :param stamp: Sensor time of row 0 [s].
    :param dt: Time between rows [s].
    :param positions: Targets, shape (T, J), in the order of ``joint_names``.
    """

    joint_names: tuple[str, ...]
    stamp: float
    dt: float
    positions: FloatArray
    session: str = ''
    episode: str = ''
    number: int = 0

    @property
    def times(self) -> FloatArray:
        """Return the due time of each row, shape (T,)."""
        return self.stamp + self.dt * np.arange(len(self.positions), dtype=np.float64)

    @property
    def end(self) -> float:
        """Return the due time of the last row."""
        return self.stamp + self.dt * (len(self.positions) - 1)


@dataclass(frozen=True)
class Committed:
    """
    What is left of the running chunk, on the new chunk's own steps.

    Row i is the running chunk's target at step i of the chunk to come.

    :param positions: Targets, shape (N, J); N may be shorter than the new chunk.
    :param delay: How many of them will be executed before the answer arrives; these are
        frozen, the rest is only advice (real-time chunking).
    """

    positions: FloatArray
    delay: int


@dataclass(frozen=True)
class Decision:
    """Answer of the high-level policy: the subtask to do now, and the memory to keep."""

    subtask: str
    memory: str
    details: Mapping[str, Any] = field(default_factory=dict)
