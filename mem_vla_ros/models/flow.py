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
Flow matching over action chunks.

Time convention, here and nowhere else: tau = 1 is noise, tau = 0 is data,
x_tau = tau * noise + (1 - tau) * actions, velocity = noise - actions. (The RTC papers count the
other way.) The network predicts the velocity `v`, or the clean chunk `x`; the sampler integrates
the velocity from 1 to 0 either way.
"""

from collections.abc import Callable

import torch
from torch import Tensor

#: (noisy chunk (B, H, A), tau (B, 1 or H)) -> velocity (B, H, A)
Velocity = Callable[[Tensor, Tensor], Tensor]


def sample_tau(count: int, device: torch.device | None = None) -> Tensor:
    """Return training times, (count, 1): Beta(1.5, 1), more of them noisy."""
    return torch.rand(count, 1, device=device).pow(1 / 1.5) * 0.999 + 0.001


def noisy_chunk(actions: Tensor, noise: Tensor, tau: Tensor) -> Tensor:
    """Return x_tau, with tau (B, 1) for the chunk or (B, H) per row."""
    return tau[..., None] * noise + (1 - tau[..., None]) * actions


def target(prediction: str, actions: Tensor, noise: Tensor) -> Tensor:
    """Return what the network shall predict: the clean chunk, or the velocity."""
    return actions if prediction == 'x' else noise - actions


def to_velocity(prediction: str, output: Tensor, chunk: Tensor, tau: Tensor) -> Tensor:
    """Return the velocity that an output of the network means."""
    if prediction == 'v':
        return output
    # Rows at tau = 0 are committed: whatever they move by is overwritten.
    return (chunk - output) / tau[..., None].clamp_min(1e-3)


def integrate(
    velocity: Velocity, noise: Tensor, steps: int, committed: Tensor | None = None,
) -> Tensor:
    """
    Return the chunk at tau = 0 after Euler steps from the noise at tau = 1.

    :param committed: First rows of the chunk that are already decided, (B, d, A). They are
        shown to the network as data (training-time RTC) and returned as they are.
    """
    delay = 0 if committed is None else committed.shape[1]
    chunk = noise
    for step in range(steps):
        tau = noise.new_full((len(noise), noise.shape[1] if delay else 1), 1 - step / steps)
        if committed is not None:
            tau[:, :delay] = 0
            chunk = torch.cat([committed, chunk[:, delay:]], dim=1)
        chunk = chunk - velocity(chunk, tau) / steps
    return chunk if committed is None else torch.cat([committed, chunk[:, delay:]], dim=1)
