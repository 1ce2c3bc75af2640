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
Inference-time real-time chunking: pull a new chunk towards the running one (arXiv 2506.07339).

The first `delay` rows will have been executed before the answer arrives and are pulled fully,
later rows less and less, the last `execution_horizon` rows not at all.
"""

from dataclasses import dataclass
import math

import torch
from torch import Tensor
from torch.nn.functional import pad

from mem_vla_ros.models.errors import ModelConfigError
from mem_vla_ros.models.flow import Velocity


@dataclass(frozen=True)
class Guidance:
    """The running chunk and how strongly to follow it."""

    # What is left of the running chunk, on the new chunk's rows, normalised, (B, N <= H, A).
    previous: Tensor
    # Rows that will be executed before the answer arrives.
    delay: int
    # Rows at the end that are free.
    execution_horizon: int
    # Largest weight of the correction.
    beta: float = 5.0
    # 'exp', 'linear', 'ones' or 'zeros' between the two.
    schedule: str = 'exp'
    # 'vjp' differentiates the network, 'identity' takes its velocity as constant.
    jacobian: str = 'vjp'

    def __post_init__(self) -> None:
        """Refuse unknown words."""
        if self.jacobian not in ('vjp', 'identity'):
            raise ModelConfigError(
                f"Unknown jacobian '{self.jacobian}'. Allowed: 'vjp', 'identity'.")

    def guide(self, velocity: Velocity, horizon: int) -> Velocity:
        """Return the velocity with the pull towards the running chunk."""
        rows = self.previous.shape[1]
        end = min(horizon - self.execution_horizon, rows)
        weights = prefix_weights(horizon, self.delay, end, self.schedule)
        weights = weights.to(self.previous)[:, None]  # (H, 1)
        previous = pad(self.previous, (0, 0, 0, horizon - rows))

        def guided(chunk: Tensor, tau: Tensor) -> Tensor:
            v, pull = self._pull(velocity, chunk, tau, previous, weights)
            return v - guidance_weight(tau[..., -1:, None], self.beta) * pull

        return guided

    def _pull(
        self, velocity: Velocity, chunk: Tensor, tau: Tensor, previous: Tensor, weights: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Return the velocity, and the error of the clean chunk seen at the noisy chunk."""
        if self.jacobian == 'identity':
            v = velocity(chunk, tau)
            return v, weights * (previous - (chunk - tau[..., None] * v))
        with torch.enable_grad():
            chunk = chunk.detach().requires_grad_()
            v = velocity(chunk, tau)
            clean = chunk - tau[..., None] * v
            error = (weights * (previous - clean)).detach()
            (pull,) = torch.autograd.grad(clean, chunk, error)
        return v.detach(), pull


def prefix_weights(horizon: int, delay: int, end: int, schedule: str = 'exp') -> Tensor:
    """
    Return how much each row follows the running chunk, (horizon,).

    1 before `delay`, falling until `end`, 0 from there.
    """
    row = torch.arange(horizon, dtype=torch.float64)
    fall = ((end - row) / max(end - delay + 1, 1)).clamp(0, 1)
    shapes = {
        'exp': fall * torch.expm1(fall) / math.expm1(1), 'linear': fall,
        'ones': torch.ones_like(fall), 'zeros': torch.zeros_like(fall)}
    if schedule not in shapes:
        raise ModelConfigError(f"Unknown schedule '{schedule}'. Allowed: {sorted(shapes)}.")
    weights = torch.where(row < end, shapes[schedule], 0.0)
    return torch.where(row < delay, 1.0, weights).float()


def guidance_weight(tau: Tensor, beta: float) -> Tensor:
    """Return min(beta, (1 - s) / (s r^2)) with s = 1 - tau, beta at s = 0."""
    s = 1 - tau
    weight = (s.square() + tau.square()) / (s * tau).clamp_min(1e-12)
    return weight.clamp_max(beta)
