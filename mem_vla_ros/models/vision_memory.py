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
Images to image tokens, for each kind of visual memory.

`video` composes the past into the current frame's tokens; `none` and `proprio` see the current
frame only; `pool` encodes past frames singly and averages them into a memory token (the paper's
pool baseline).
"""

import torch
from torch import nn, Tensor
from transformers import SiglipVisionModel

from mem_vla_ros.models.config import MemVlaConfig
from mem_vla_ros.models.errors import ModelConfigError
from mem_vla_ros.models.history_mask import band_mask, stride_mask
from mem_vla_ros.models.image_projector import make_projector
from mem_vla_ros.models.prefix import ImageTokens
from mem_vla_ros.models.streaming_encoder import StreamingEncoder
from mem_vla_ros.models.video_encoder import VideoEncoder


class VisionMemory(nn.Module):
    """SigLIP tower shared by the cameras, its video encoder, and Gemma 3's projector."""

    def __init__(self, config: MemVlaConfig) -> None:
        super().__init__()
        self.config = config
        width = config.text_config.hidden_size
        self.tower = SiglipVisionModel(config.vision_config)
        self.projector = make_projector(config)
        if config.camera_embedding:
            self.camera = nn.Parameter(torch.zeros(len(config.cameras), width))
        self.encoder = VideoEncoder(
            self.tower, config.position_mode, config.temporal_every, config.time_unit_s)

    def clip(self, images: Tensor, times: Tensor, valid: Tensor) -> ImageTokens:
        """Return the tokens of the newest frame, given sampled clips (B, C, K, 3, H, W)."""
        pixels = self.pixels(images)
        if self.config.memory == 'video':
            return self._project(self.encoder.clip(pixels, times, valid), valid[..., -1])
        if self.config.memory == 'pool':
            tokens = self._single_frames(pixels)
            past = band_mask(valid, images.shape[2])[..., -1:, :-1]
            pooled = self._pool(tokens[:, :, :-1], past)
            return _join(self._project(tokens[:, :, -1], valid[..., -1]), _squeeze_time(pooled))
        return self._project(self._single_frames(pixels[:, :, -1:])[:, :, 0], valid[..., -1])

    def episode(
        self, images: Tensor, times: Tensor, valid: Tensor, history: Tensor | None = None,
    ) -> ImageTokens:
        """
        Return the tokens of every frame of long clips (B, C, T, 3, H, W), as (B, T, S, width).

        :param history: Which frames a frame reads; by default those nearest to the stride.
        """
        if history is None:
            history = stride_mask(
                times.nan_to_num(), valid, self.config.frames, self.config.stride_s)
        pixels = self.pixels(images)
        if self.config.memory == 'video':
            return self._project(self.encoder.episode(pixels, times, history), valid)
        tokens = self._single_frames(pixels)
        current = self._project(tokens, valid)
        if self.config.memory != 'pool':
            return current
        own = torch.eye(images.shape[2], dtype=torch.bool, device=images.device)
        return _join(current, self._pool(tokens, history & ~own))

    def streaming(self, batch: int = 1, **options: float) -> StreamingEncoder:
        """Return an empty streaming memory for `batch` robots; options as in StreamingEncoder."""
        if self.config.memory == 'pool':
            raise ModelConfigError(
                "Memory 'pool' has no streaming form. Allowed: 'video', 'none', 'proprio'.")
        frames = self.config.image_frames
        return StreamingEncoder(
            self.encoder, batch * len(self.config.cameras), frames, **options)

    def step(
        self, stream: StreamingEncoder, images: Tensor, times: Tensor, valid: Tensor,
    ) -> ImageTokens:
        """Return the tokens of new frames (B, C, 3, H, W); times and valid are (B, C)."""
        tokens = stream.step(
            self.pixels(images).flatten(0, 1), times.flatten(), valid.flatten())
        return self._project(tokens.unflatten(0, images.shape[:2]), valid)

    def pixels(self, images: Tensor) -> Tensor:
        """Return pixels in [-1, 1] in the tower's type; uint8 is scaled, float is taken as is."""
        scaled = images.float() / 127.5 - 1 if images.dtype == torch.uint8 else images
        return scaled.to(self.projector.mm_input_projection_weight.dtype)

    def _single_frames(self, pixels: Tensor) -> Tensor:
        """Return stock ViT tokens of every frame, (B, C, T, n, D)."""
        hidden = self.tower(pixels.flatten(0, 2)).last_hidden_state
        return hidden.unflatten(0, pixels.shape[:3])

    def _project(self, tokens: Tensor, valid: Tensor) -> ImageTokens:
        """Return ViT tokens (B, C, [T,] n, D) pooled and projected, cameras side by side."""
        embeds = self.projector(tokens.flatten(0, -3)).unflatten(0, tokens.shape[:-2])
        if self.config.camera_embedding:
            shape = (-1,) + (1,) * (embeds.dim() - 3) + (embeds.shape[-1],)
            embeds = embeds + self.camera.view(shape)
        seen = valid.expand(embeds.shape[:-2])[..., None].expand(embeds.shape[:-1])
        return ImageTokens(embeds.movedim(1, -3).flatten(-3, -2), seen.movedim(1, -2).flatten(-2))

    def _pool(self, tokens: Tensor, reads: Tensor) -> ImageTokens:
        """
        Return the memory tokens, (B, Q, C or 1, width).

        :param tokens: Frames, (B, C, T, n, D).
        :param reads: Which past frames each of Q readers averages, bool (B, C, Q, T).
        """
        means = tokens.mean(dim=-2)  # (B, C, T, D)
        reads = reads.expand(*means.shape[:2], *reads.shape[-2:]).transpose(1, 2)  # (B, Q, C, T)
        share = reads.to(means.dtype)
        sums = torch.einsum('bqct,bctd->bqcd', share, means)
        if not self.config.pool_per_camera:
            sums, share = sums.sum(2, keepdim=True), share.flatten(2)[:, :, None]
        count = share.sum(-1)  # (B, Q, C or 1)
        mean = sums / count.clamp_min(1)[..., None]
        # Projected as an image of which all patches are the mean; its tokens are all the same.
        image = mean.flatten(0, 2)[:, None].expand(-1, self.config.patches_per_side ** 2, -1)
        return ImageTokens(self.projector(image)[:, 0].unflatten(0, count.shape), count > 0)


def _join(first: ImageTokens, second: ImageTokens) -> ImageTokens:
    return ImageTokens(
        torch.cat([first.embeds, second.embeds], dim=-2),
        torch.cat([first.valid, second.valid], dim=-1))


def _squeeze_time(tokens: ImageTokens) -> ImageTokens:
    return ImageTokens(tokens.embeds[:, 0], tokens.valid[:, 0])
