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
The streaming video memory of one robot or several: frames are encoded once, as they come due.

An observation names K frames per camera by their stamps. The newest is new; the older ones have
been encoded at an earlier inference, unless inference was slow or has just begun. Those are
encoded first, so that how fast a policy thinks does not change what it sees.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from mem_vla_ros.core.types import FrameStack, Observation
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.prefix import ImageTokens
from mem_vla_ros.policies.robots_encoder import RobotsEncoder

# Kept frames per stride: inference rarely runs more often, and the oldest are overwritten.
_SLOTS_PER_STRIDE = 12

#: The cameras' frames of each robot that is asked about, by its number.
Stacks = dict[int, list[FrameStack]]


class FrameStream:
    """
    Image tokens of the newest frames, with all that the streaming encoder remembers.

    :param tolerance: A frame counts as seen if one of the same camera was encoded within this
        time of it [s].
    :param robots: Robots that are numbered from 0 and may be encoded together.
    """

    def __init__(
        self, model: MemVLA, cameras: Sequence[str], tolerance: float, robots: int = 1,
    ) -> None:
        config = model.config
        self._model = model
        self._cameras = tuple(cameras)
        self._tolerance = tolerance
        self._stream = RobotsEncoder(
            model, robots, max(config.frames, 1 + (config.frames - 1) * _SLOTS_PER_STRIDE))
        self._seen = [self._nothing() for _ in range(robots)]

    def _nothing(self) -> list[np.ndarray]:
        return [np.empty(0) for _ in self._cameras]

    def reset(self, robot: int = 0) -> None:
        """Forget the episode of a robot."""
        self._stream.forget(robot)
        self._seen[robot] = self._nothing()

    def tokens(self, observations: Mapping[int, Observation]) -> ImageTokens:
        """Return the image tokens of the newest frames of some robots, a row for each."""
        stacks = {
            robot: [observation.cameras[name] for name in self._cameras]
            for robot, observation in observations.items()}
        frames = len(next(iter(stacks.values()))[0].stamps)
        for slot in range(frames - 1):
            missing = {robot: self._missing(robot, stacks[robot], slot) for robot in stacks}
            late = [robot for robot in stacks if any(missing[robot])]
            if late:
                self._step({robot: stacks[robot] for robot in late}, slot, missing)
        return self._step(stacks, -1, {
            robot: [bool(stack.valid[-1]) for stack in cameras]
            for robot, cameras in stacks.items()})

    def _missing(self, robot: int, stacks: list[FrameStack], slot: int) -> list[bool]:
        return [
            bool(stack.valid[slot]) and not self._has(seen, stack.stamps[slot])
            for seen, stack in zip(self._seen[robot], stacks, strict=True)]

    def _has(self, seen: np.ndarray, stamp: float) -> bool:
        return bool(seen.size) and float(np.abs(seen - stamp).min()) <= self._tolerance

    def _step(self, stacks: Stacks, slot: int, valid: Mapping[int, list[bool]]) -> ImageTokens:
        images = np.stack([
            [stack.frame(slot) for stack in cameras] for cameras in stacks.values()])
        stamps = np.array([
            [stack.stamps[slot] for stack in cameras] for cameras in stacks.values()])  # (B, C)
        exists = np.array([valid[robot] for robot in stacks])
        for row, robot in enumerate(stacks):
            for camera in np.flatnonzero(exists[row]):
                recent = self._seen[robot][camera][-256:]
                self._seen[robot][camera] = np.append(recent, stamps[row, camera])
        self._stream.choose(list(stacks))
        return self._model.encode_step(
            self._stream, torch.from_numpy(images).permute(0, 1, 4, 2, 3),
            torch.from_numpy(stamps), torch.from_numpy(exists))


def stream_of(model: MemVLA, robots: int = 1) -> FrameStream | None:
    """Return an empty stream, or None if the model's memory has no streaming form."""
    config = model.config
    if config.memory != 'video' or config.position_mode != 'relative':
        return None
    return FrameStream(model, config.cameras, config.stride_s / 4, robots)
