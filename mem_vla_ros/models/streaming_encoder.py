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
The streaming encoder: video memory at the cost of one frame per step.

In position mode `relative` a frame's keys and values never change, so they are kept, and a
step runs the ViT on the new frame alone. Equal to `VideoEncoder.episode` over all frames so far.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from mem_vla_ros.models.errors import ModelConfigError, ShapeError
from mem_vla_ros.models.history_mask import select_by_stride
from mem_vla_ros.models.space_time_attention import mix_over_space, mix_over_time, time_offsets
from mem_vla_ros.models.temporal_encoding import temporal_encoding
from mem_vla_ros.models.video_encoder import VideoEncoder
from mem_vla_ros.models.vit_adapter import VitLayer


class Reading(NamedTuple):
    """
    What the new frames read.

    :param slot: Where the new frame is kept; one for all streams, or one for each.
    :param mask: Which of the frames that are looked up are read, bool (N, 1, F).
    :param encoding: Their temporal encoding, (N, 1, F, D).
    :param slots: Slots that are looked up, (N, F); None for all, in their order.
    """

    slot: int | Tensor
    mask: Tensor
    encoding: Tensor
    slots: Tensor | None = None


class StreamingEncoder:
    """Current-frame tokens of several cameras, frame by frame."""

    def __init__(
        self, encoder: VideoEncoder, streams: int, frames: int, stride_s: float | None = None,
        slots: int | None = None, max_age_s: float = float('inf'),
    ) -> None:
        """
        Prepare an empty memory.

        :param streams: Cameras (times environments) that step together.
        :param frames: Frames that a frame reads, itself included.
        :param stride_s: Time between those frames when frames come more often; None reads the
            last ones, whatever their spacing.
        :param slots: Frames kept, default `frames`; with a stride, enough for
            (frames - 1) * stride_s at the rate of the steps. The oldest is overwritten.
        :param max_age_s: Older frames are no longer read.
        """
        if encoder.mode != 'relative':
            raise ModelConfigError(
                f"Streaming needs position mode 'relative'. Got '{encoder.mode}'.")
        self.encoder, self.streams, self.frames = encoder, streams, frames
        self.stride_s, self.max_age_s = stride_s, max_age_s
        self.slots = slots or frames
        if self.slots < frames:
            raise ModelConfigError(f'{frames} frames do not fit in {self.slots} slots.')
        self._keys_values: dict[int, tuple[Tensor, Tensor]] = {}
        device = encoder.vit.device
        self._times = torch.zeros(streams, self.slots, dtype=torch.float64, device=device)
        self._valid = torch.zeros(streams, self.slots, dtype=torch.bool, device=device)
        self._next = 0

    @property
    def _stepping(self) -> int:
        """Return how many streams the next step is of."""
        return self.streams

    @property
    def cached_bytes(self) -> int:
        """Return the memory of the kept keys and values."""
        return sum(t.nbytes for pair in self._keys_values.values() for t in pair)

    def reset(self, streams: Tensor | slice | None = None) -> None:
        """Forget everything, or the given streams only."""
        if streams is None:
            self._keys_values, self._next = {}, 0
        self._valid[slice(None) if streams is None else streams] = False

    @torch.no_grad()
    def step(self, images: Tensor, times: Tensor, valid: Tensor | None = None) -> Tensor:
        """
        Return the tokens of the new frames, (N, n, D).

        :param images: Normalised pixels of one new frame per stream, (N, 3, H, W).
        :param times: Stamps in seconds, float64 (N,), later than those before.
        :param valid: Streams that have a frame now, bool (N,); the others keep a gap.
        """
        stepping = self._stepping
        if images.shape[0] != stepping or times.shape != (stepping,):
            raise ShapeError(
                f'Streaming needs {stepping} images and times. Got {tuple(images.shape)} '
                f'and {tuple(times.shape)}.')
        reading = self._begin_frame(times.nan_to_num(), valid)
        hidden = self.encoder.vit.embed(images)
        for index, layer in enumerate(self.encoder.vit):
            if index in self.encoder.space_time:
                hidden = self._space_time_layer(index, layer, hidden, reading)
            else:
                hidden = layer.run(hidden)
        return self.encoder.vit.final_norm(hidden)

    def _begin_frame(self, times: Tensor, valid: Tensor | None) -> Reading:
        slot = self._next % self.slots
        self._next += 1
        self._times[:, slot] = times
        self._valid[:, slot] = True if valid is None else valid
        ages = times[:, None] - self._times  # (N, S)
        return Reading(slot, self._readable(ages, slot)[:, None, :], self._encoding(ages))

    def _encoding(self, ages: Tensor) -> Tensor:
        return temporal_encoding(
            -ages[:, None] / self.encoder.time_unit_s, self.encoder.vit.width)

    def _readable(self, ages: Tensor, slot: int) -> Tensor:
        """Return which slots the new frame reads, bool (N, S); its own always."""
        readable = self._valid & (ages <= self.max_age_s)
        if self.stride_s is not None:
            readable = select_by_stride(ages, readable, self.frames, self.stride_s)
        else:
            lag = (slot - torch.arange(self.slots, device=ages.device)) % self.slots
            readable = readable & (lag < self.frames)
        readable[:, slot] = True
        return readable

    def _space_time_layer(
        self, index: int, layer: VitLayer, hidden: Tensor, reading: Reading,
    ) -> Tensor:
        normed = layer.norm1(hidden)
        q, k, v = (layer.split_heads(part(normed)) for part in (layer.q, layer.k, layer.v))
        keys, values = self._keep(index, k, v, reading)
        offsets = time_offsets(layer, reading.encoding)
        mixed = mix_over_time(q[..., None, :], keys, values, reading.mask, *offsets)
        return layer.finish(hidden, mix_over_space(q, k, mixed[..., 0, :]))

    def _keep(self, index: int, k: Tensor, v: Tensor, reading: Reading) -> tuple[Tensor, Tensor]:
        """Keep a layer's new keys and values, and return those to read, (N, h, n, F, d)."""
        if index not in self._keys_values:
            shape = (*k.shape[:-1], self.slots, k.shape[-1])  # (N, h, n, S, d)
            self._keys_values[index] = (k.new_zeros(shape), v.new_zeros(shape))
        keys, values = self._keys_values[index]
        keys[..., reading.slot, :], values[..., reading.slot, :] = k, v
        return keys, values
