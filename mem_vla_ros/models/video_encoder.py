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
The video encoder: an unmodified ViT that also looks back in time.

Every `temporal_every`-th layer mixes the values of a patch over the past frames before stock
attention mixes them over the frame. The output has the tokens of one frame. Two ways to tell
time, no new parameter in either, both equal to the ViT when there is one frame:

- `window` (the paper): q, k, v = W LN(z + e(t)), t counted back from the clip's newest frame.
- `relative` (ours): a frame reads k = W_k (LN(z') + e(t' - t)), and v likewise. What a frame
  becomes depends on its own past only, so its keys and values never change: they can be cached
  (`StreamingEncoder`) and one pass over an episode serves every time step (`episode`).

Frames come oldest first. The encoder holds no parameters; the ViT stays as it is.
"""

from torch import nn, Tensor

from mem_vla_ros.models.errors import ModelConfigError
from mem_vla_ros.models.history_mask import band_mask
from mem_vla_ros.models.space_time_attention import mix_over_space, mix_over_time, time_offsets
from mem_vla_ros.models.temporal_encoding import temporal_encoding
from mem_vla_ros.models.vit_adapter import VitAdapter, VitLayer

MODES = ('window', 'relative')


class VideoEncoder:
    """Current-frame tokens that know the past frames."""

    def __init__(
        self, vit: nn.Module, mode: str = 'relative', temporal_every: int = 4,
        time_unit_s: float = 1.0,
    ) -> None:
        """
        Wrap a ViT.

        :param temporal_every: Layers that are multiples of it (from 1) look back in time.
        :param time_unit_s: Seconds per unit of e(t); the stride makes it count frames.
        """
        if mode not in MODES:
            raise ModelConfigError(f"Unknown position mode '{mode}'. Allowed: {MODES}.")
        self.vit = VitAdapter(vit)
        self.mode, self.time_unit_s = mode, time_unit_s
        depth = len(self.vit.layers)
        self.space_time = [i for i in range(depth) if (i + 1) % temporal_every == 0]
        if not self.space_time:
            raise ModelConfigError(
                f'A ViT of {depth} layers has no space-time layer with temporal_every='
                f'{temporal_every}. Allowed: 1 to {depth}.')

    def clip(
        self, images: Tensor, times: Tensor, valid: Tensor, frames: int | None = None,
    ) -> Tensor:
        """
        Return the newest frame's tokens, (B, C, n, D).

        :param images: Normalised pixels, (B, C, T, 3, H, W).
        :param times: Stamps in seconds, (B, C, T) or (B, 1, T) if the cameras share them.
        :param valid: Frames that exist, bool, shape like times or (B, C, T).
        :param frames: How many slots a frame reads, itself included; all by default.
        """
        mask = band_mask(valid, frames or images.shape[2])
        return self._forward(images, times, mask, newest_only=True)[:, :, 0]

    def episode(self, images: Tensor, times: Tensor, history: Tensor) -> Tensor:
        """
        Return the tokens of every frame, each with its own past, (B, C, T, n, D).

        :param history: Which frames a frame reads, bool (B, C or 1, T, T); see history_mask.
        """
        if self.mode != 'relative':
            raise ModelConfigError(
                f"One pass over an episode needs position mode 'relative'. Got '{self.mode}'.")
        return self._forward(images, times, history, newest_only=False)

    def _forward(
        self, images: Tensor, times: Tensor, mask: Tensor, newest_only: bool,
    ) -> Tensor:
        grid = images.shape[:3]  # (B, C, T)
        encoding = self._encoding(times.nan_to_num())  # a padded frame has no stamp
        hidden = self.vit.embed(images.flatten(0, 2)).unflatten(0, grid)
        for index, layer in enumerate(self.vit):
            last = newest_only and index == self.space_time[-1]
            if index in self.space_time:
                hidden = self._space_time_layer(layer, hidden, encoding, mask, last)
            else:
                hidden = layer.run(hidden.flatten(0, 2)).unflatten(0, hidden.shape[:3])
        return self.vit.final_norm(hidden[:, :, -1:] if newest_only else hidden)

    def _encoding(self, times: Tensor) -> Tensor:
        """Return e(t) of every frame (window) or e(t' - t) of every pair (relative)."""
        times = times.double() / self.time_unit_s
        if self.mode == 'window':
            return temporal_encoding(times - times[..., -1:], self.vit.width)
        return temporal_encoding(times[..., None, :] - times[..., :, None], self.vit.width)

    def _space_time_layer(
        self, layer: VitLayer, hidden: Tensor, encoding: Tensor, mask: Tensor, newest_only: bool,
    ) -> Tensor:
        if self.mode == 'window':
            # The residual stays without e(t), or it would pile up layer by layer.
            read, offsets = layer.norm1(hidden + encoding[..., None, :].to(hidden.dtype)), ()
        else:
            pairs = encoding[..., -1:, :, :] if newest_only else encoding
            read, offsets = layer.norm1(hidden), time_offsets(layer, pairs)
        k, v = (layer.split_heads(part(read)) for part in (layer.k, layer.v))  # (B, C, T, h, n, d)
        if newest_only:
            # Nothing reads the past frames above the last space-time layer.
            hidden, read, mask = hidden[:, :, -1:], read[:, :, -1:], mask[..., -1:, :]
        q = layer.split_heads(layer.q(read))
        mixed = mix_over_time(*(x.movedim(2, -2) for x in (q, k, v)), mask, *offsets)
        return layer.finish(
            hidden, mix_over_space(q, k[:, :, -q.shape[2]:], mixed.movedim(-2, 2)))
