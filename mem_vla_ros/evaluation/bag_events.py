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
What happens in a bag, in order, as plain values.

``time`` is when it happened for whoever listened [s]; ``stamp`` is the sensor time that the
message itself carries [s].
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mem_vla_ros.core.types import ActionChunk, FloatArray, ImageArray


@dataclass(frozen=True)
class FrameEvent:
    """One camera image."""

    time: float
    stamp: float
    camera: str
    image: ImageArray


@dataclass(frozen=True)
class JointEvent:
    """One joint state, in the message's own order."""

    time: float
    stamp: float
    names: Sequence[str]
    positions: FloatArray


@dataclass(frozen=True)
class TextEvent:
    """One text: goal, subtask, memory, a state, an annotation or the oracle."""

    time: float
    part: str
    text: str


@dataclass(frozen=True)
class ChunkEvent:
    """One action chunk, as the low-level policy published it."""

    time: float
    chunk: ActionChunk


@dataclass(frozen=True)
class CommandEvent:
    """
    Where the joints were commanded to be at one moment.

    :param names: Empty if the positions are in the robot file's order.
    """

    time: float
    stamp: float
    names: Sequence[str]
    positions: FloatArray


Event = FrameEvent | JointEvent | TextEvent | ChunkEvent | CommandEvent
