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
The streaming encoder of several robots that need not step together.

As ``StreamingEncoder``, but each stream counts its own frames, a step is one of the chosen robots
alone, and only the frames that are read are looked up. No robot's memory depends on the others.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from mem_vla_ros.models.history_mask import select_by_stride
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.streaming_encoder import Reading, StreamingEncoder


class RobotsEncoder(StreamingEncoder):
    """
    Current-frame tokens of several robots' cameras.

    :param slots: Frames kept of each camera; the oldest is overwritten.
    """

    def __init__(self, model: MemVLA, robots: int, slots: int) -> None:
        config = model.config
        self._cameras = len(config.cameras)
        super().__init__(
            model.vision.encoder, robots * self._cameras, config.frames, slots=slots,
            max_age_s=(config.frames - 0.5) * config.stride_s)
        self._stride = config.stride_s
        self._count = torch.zeros(self.streams, dtype=torch.long, device=self._times.device)
        self._rows = torch.arange(self.streams, device=self._times.device)

    def choose(self, robots: Sequence[int]) -> None:
        """Let the next steps be those of these robots, in this order."""
        first = torch.tensor(robots, device=self._rows.device)[:, None] * self._cameras
        self._rows = (first + torch.arange(self._cameras, device=first.device)).flatten()

    def forget(self, robot: int) -> None:
        """Forget the episode of one robot."""
        self.reset(slice(robot * self._cameras, (robot + 1) * self._cameras))

    @property
    def _stepping(self) -> int:
        return len(self._rows)

    def _begin_frame(self, times: Tensor, valid: Tensor | None) -> Reading:
        rows = self._rows
        slot = self._count[rows] % self.slots
        self._count[rows] += 1
        self._times[rows, slot] = times
        self._valid[rows, slot] = True if valid is None else valid
        ages = times[:, None] - self._times[rows]  # (N, S)
        read = self._frames_to_read(ages, slot)  # (N, F)
        mask = read != slot[:, None]
        mask[:, 0] = True
        return Reading(slot, mask[:, None], self._encoding(ages.gather(1, read)), read)

    def _frames_to_read(self, ages: Tensor, slot: Tensor) -> Tensor:
        """Return slots (N, F): the new frame's, those it reads, and again its own to fill up."""
        known = self._valid[self._rows] & (ages <= self.max_age_s)
        readable = select_by_stride(ages, known, self.frames, self._stride)
        readable.scatter_(1, slot[:, None], False)
        past = min(self.frames - 1, int(readable.sum(dim=1).max()))
        index = readable.long().topk(past, dim=1).indices
        past_slots = torch.where(readable.gather(1, index), index, slot[:, None])
        return torch.cat([slot[:, None], past_slots], dim=1)

    def _keep(self, index: int, k: Tensor, v: Tensor, reading: Reading) -> tuple[Tensor, Tensor]:
        if index not in self._keys_values:
            shape = (self.streams, self.slots, *k.shape[1:])  # (streams, S, h, n, d)
            self._keys_values[index] = (k.new_empty(shape), v.new_empty(shape))
        for kept, new in zip(self._keys_values[index], (k, v), strict=True):
            kept[self._rows, reading.slot] = new
        keys, values = (kept[self._rows[:, None], reading.slots].movedim(1, 3)
                        for kept in self._keys_values[index])
        return keys, values
