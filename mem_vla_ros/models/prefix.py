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

"""The prefix: what the model has read before it acts or writes."""

from dataclasses import dataclass

from torch import Tensor

from mem_vla_ros.models.attention_masks import positions_of
from mem_vla_ros.models.gemma_attention import KeysValues


@dataclass(frozen=True)
class ImageTokens:
    """
    Image tokens of all cameras, ready for the backbone.

    :param embeds: (B, S, width), or (B, T, S, width) for every step of an episode.
    :param valid: Tokens of cameras that have a current frame, bool, embeds without width.
    """

    embeds: Tensor
    valid: Tensor

    def pick(self, steps: Tensor) -> 'ImageTokens':
        """Return the tokens of N (episode, time) pairs, steps (N, 2) -> (N, S, width)."""
        return self.rows((steps[:, 0], steps[:, 1]))

    def rows(self, chosen: Tensor | tuple[Tensor, ...]) -> 'ImageTokens':
        """Return the tokens of some samples."""
        return ImageTokens(self.embeds[chosen], self.valid[chosen])


@dataclass(frozen=True)
class Prefix:
    """
    Keys and values of a prefix, read by every flow step and by every written token.

    :param hidden: Backbone output at the last token, (B, width).
    :param keys_values: Per layer, each (B, kv heads, S, head_dim).
    :param valid: Tokens that exist, bool (B, S).
    :param motion: Newest state and velocity, (B, 2 * state_dim), for an expert that reads them.
    """

    hidden: Tensor
    keys_values: list[KeysValues]
    valid: Tensor
    motion: Tensor | None = None

    @property
    def positions(self) -> Tensor:
        """Return the RoPE positions of the tokens, (B, S)."""
        return positions_of(self.valid)

    @property
    def next_position(self) -> Tensor:
        """Return the position after the last valid token, (B, 1)."""
        return self.valid.sum(dim=-1, keepdim=True)

    def detach(self) -> 'Prefix':
        """Return the prefix without its gradient (knowledge insulation)."""
        return Prefix(
            self.hidden.detach(), [(k.detach(), v.detach()) for k, v in self.keys_values],
            self.valid, self.motion)
