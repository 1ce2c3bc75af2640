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

"""The training batch of a MemVLA."""

from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor


@dataclass(frozen=True)
class TrainingBatch:
    """
    Observations, texts and targets of N samples.

    Images are either one clip per sample (E = N, T = frames, newest last), or E whole episodes
    of which `steps` names the samples::

        images        uint8 or float in [-1, 1], (E, C, T, 3, H, W)
        times         seconds, float64, (E, C, T), or (E, 1, T) if the cameras share them
        valid         bool (E, C, T), frames that exist
        steps         long (N, 2), (episode, frame) of each sample; None for clips
        history       bool (E, C or 1, T, T), who reads whom; None follows the stride
        states        normalised, (N, Ks, state_dim), newest last
        state_valid   bool (N, Ks)
        velocity      normalised state per second at the newest one, (N, state_dim); None: unknown
        text_ids      long (N, L), without <bos>, padded on the right
        text_valid    bool (N, L)
        text_target   bool (N, L), the tokens to learn to write; None for none
        text_weight   (N,), how much the text of a sample counts; None for all the same
        actions       normalised, (N, horizon, action_dim); None for text only
        action_valid  bool (N, horizon, action_dim), real rows and dimensions; None for all
        action_weight (H, action_dim), how much each number counts; None for all the same
        fast_ids      long (N, F), FAST tokens of the actions; None for none
        fast_valid    bool (N, F)
    """

    images: Tensor
    times: Tensor
    valid: Tensor
    states: Tensor
    state_valid: Tensor
    text_ids: Tensor
    text_valid: Tensor
    text_target: Tensor | None = None
    text_weight: Tensor | None = None
    actions: Tensor | None = None
    action_valid: Tensor | None = None
    action_weight: Tensor | None = None
    fast_ids: Tensor | None = None
    fast_valid: Tensor | None = None
    velocity: Tensor | None = None
    steps: Tensor | None = None
    history: Tensor | None = None

    def to(self, device: torch.device | str) -> 'TrainingBatch':
        """Return the batch on another device."""
        moved = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(self, **{
            name: value.to(device) for name, value in moved.items() if value is not None})

    def alike(self, count: int) -> list[Tensor]:
        """Return the samples in groups of at most so many whose texts are about as long."""
        return list(self.text_valid.sum(dim=1).argsort(stable=True).split(count))

    def pick(self, rows: Tensor) -> 'TrainingBatch':
        """
        Return some samples of whole episodes, without the padding that they do not need.

        Their images stay with the batch: what a frame shows is encoded once for all samples.
        """
        length = int(self.text_valid[rows].sum(dim=1).max())
        picked = {name: getattr(self, name) for name in _OF_SAMPLES}
        picked = {name: value[rows] for name, value in picked.items() if value is not None}
        texts = {name: value[:, :length] for name, value in picked.items()
                 if name in ('text_ids', 'text_valid', 'text_target')}
        return replace(self, **{**picked, **texts})


_OF_SAMPLES = (
    'states', 'state_valid', 'velocity', 'text_ids', 'text_valid', 'text_target', 'text_weight',
    'actions', 'action_valid', 'fast_ids', 'fast_valid')
