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

"""Configuration of a MemVLA: sizes, switches and their contradictions."""

from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from typing import Any

from transformers import Gemma3Config, Gemma3TextConfig, SiglipVisionConfig

from mem_vla_ros.models.errors import ModelConfigError

MEMORIES = ('video', 'none', 'pool', 'proprio')


@dataclass(frozen=True)
class MemVlaConfig:
    """Everything that decides the shape and the behaviour of a model."""

    # SiglipVisionConfig and Gemma3TextConfig arguments; image_size is the input resolution.
    vision: dict[str, Any] = field(default_factory=dict)
    text: dict[str, Any] = field(default_factory=dict)
    # Image tokens per camera after merging squares of patches; a square number.
    tokens_per_image: int = 256
    # A square of patches becomes a token as their 'mean' (Gemma 3) or side by side, 'concat'.
    patch_merge: str = 'mean'
    # Camera names, in token order; the tower is shared.
    cameras: tuple[str, ...] = ('base', 'left_wrist', 'right_wrist', 'rear')
    # A learned vector per camera on its image tokens; False leaves telling them to RoPE.
    camera_embedding: bool = False

    # What is remembered: frames and states, nothing, one pooled token, or states only.
    memory: str = 'video'
    # Frames, the current one included, and the seconds between them.
    frames: int = 6
    stride_s: float = 1.0
    # 'window' as in the paper, or 'relative', which streams and trains by episode.
    position_mode: str = 'relative'
    temporal_every: int = 4
    # Seconds per unit of e(t); equal to stride_s it counts frames.
    time_unit_s: float = 1.0
    # memory 'pool': one token for each camera, or one for all.
    pool_per_camera: bool = True

    # Widths of the padded state and action vectors, and rows of a chunk.
    state_dim: int = 32
    action_dim: int = 32
    horizon: int = 50
    # Seconds between the rows.
    action_dt_s: float = 0.02
    expert_width: int = 1024
    expert_mlp: int = 4096
    # The expert reads the newest state and velocity directly, too: attention alone copies them
    # slowly and roughly.
    expert_reads_motion: bool = False
    # The expert predicts the clean chunk 'x' or the velocity 'v'.
    prediction: str = 'v'
    # Euler steps of a sample.
    flow_steps: int = 5
    # Training-time RTC: longest prefix of committed rows; 0 turns it off.
    rtc_max_delay: int = 0

    # Stop the expert's gradient at the backbone; then FAST alone teaches it actions.
    knowledge_insulation: bool = True
    # FAST vocabulary; 0 builds no FAST tokens.
    fast_vocab_size: int = 2048
    # 'gemma' keeps the window of its local layers, 'full' lets every layer see all.
    attention_window: str = 'full'

    def __post_init__(self) -> None:
        """Refuse contradictions."""
        self._allow('memory', MEMORIES)
        self._allow('position_mode', ('window', 'relative'))
        self._allow('patch_merge', ('mean', 'concat'))
        self._allow('prediction', ('x', 'v'))
        self._allow('attention_window', ('full', 'gemma'))
        object.__setattr__(self, 'cameras', tuple(self.cameras))
        # CHECK: sizes are positive
        for name in ('frames', 'state_dim', 'action_dim', 'horizon', 'flow_steps'):
            if getattr(self, name) < 1:
                raise ModelConfigError(f'{name} must be at least 1. Got {getattr(self, name)}.')
        # CHECK: the committed prefix leaves something to predict
        if not 0 <= self.rtc_max_delay < self.horizon:
            raise ModelConfigError(
                f'rtc_max_delay must be 0 to horizon - 1 = {self.horizon - 1}. '
                f'Got {self.rtc_max_delay}.')
        # CHECK: insulated backbones learn actions from FAST only
        if self.knowledge_insulation and not self.fast_vocab_size:
            raise ModelConfigError(
                'knowledge_insulation without FAST tokens leaves the backbone untrained. '
                'Got fast_vocab_size 0; set it, or turn insulation off.')
        # CHECK: pooling divides the patches
        side, tokens = self.patches_per_side, round(self.tokens_per_image ** 0.5)
        if tokens ** 2 != self.tokens_per_image or side % tokens:
            raise ModelConfigError(
                f'tokens_per_image must be a square whose side divides {side} patches. '
                f'Got {self.tokens_per_image}.')

    def _allow(self, name: str, allowed: tuple[str, ...]) -> None:
        if getattr(self, name) not in allowed:
            raise ModelConfigError(f"{name} '{getattr(self, name)}' unknown. Allowed: {allowed}.")

    @property
    def patches_per_side(self) -> int:
        """Return the patches along an image's edge."""
        vision = self.vision_config
        return vision.image_size // vision.patch_size

    @property
    def image_frames(self) -> int:
        """Return how many frames per camera the model wants."""
        return self.frames if self.memory in ('video', 'pool') else 1

    @property
    def state_frames(self) -> int:
        """Return how many states the model wants."""
        return self.frames if self.memory in ('video', 'proprio') else 1

    @property
    def vision_config(self) -> SiglipVisionConfig:
        """Return the tower's configuration."""
        return SiglipVisionConfig(vision_use_head=False, **self.vision)

    @property
    def text_config(self) -> Gemma3TextConfig:
        """Return the backbone's configuration."""
        return Gemma3TextConfig(**self.text)

    @property
    def gemma_config(self) -> Gemma3Config:
        """Return both as Gemma 3's own configuration."""
        return Gemma3Config(
            vision_config=self.vision_config, text_config=self.text_config,
            mm_tokens_per_image=self.tokens_per_image)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> 'MemVlaConfig':
        """
        Return the configuration with the given values.

        :raises ModelConfigError: on an unknown name; the nearest known one is offered.
        """
        known = [f.name for f in fields(cls)]
        for name in values:
            if name not in known:
                near = get_close_matches(name, known, 1)
                raise ModelConfigError(
                    f"Unknown model setting '{name}'. Did you mean {near or known}?")
        return cls(**values)
