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
Muon: momentum whose update is the nearest orthogonal matrix, for the matrices of a transformer.

In float32, since CPUs without bfloat16 units make torch's own very slow. Matrices of one shape
are orthogonalised in one batched Newton-Schulz iteration.
"""

from collections import defaultdict
from collections.abc import Iterable

import torch
from torch import Tensor

# Coefficients of the quintic iteration, chosen for speed of convergence (Keller Jordan, 2024).
_QUINTIC = (3.4445, -4.7750, 2.0315)
_ITERATIONS = 5


class Muon(torch.optim.Optimizer):
    """Orthogonalised Nesterov momentum with decoupled weight decay."""

    def __init__(
        self, parameters: Iterable[Tensor], lr: float, momentum: float = 0.95,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(
            parameters, {'lr': lr, 'momentum': momentum, 'weight_decay': weight_decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        """Move every parameter that has a gradient."""
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[tuple[Tensor, Tensor]]] = defaultdict(list)
            for parameter in group['params']:
                if parameter.grad is not None:
                    update = self._momentum(parameter, group['momentum'])
                    by_shape[parameter.shape].append((parameter, update))
            for shape, pairs in by_shape.items():
                updates = orthogonalise(torch.stack([update for _, update in pairs]))
                # Scaled to the size of an AdamW update, so that rates compare.
                rate = group['lr'] * 0.2 * max(shape) ** 0.5
                for (parameter, _), update in zip(pairs, updates, strict=True):
                    parameter.mul_(1 - group['lr'] * group['weight_decay'])
                    parameter.add_(update, alpha=-rate)

    def _momentum(self, parameter: Tensor, momentum: float) -> Tensor:
        state = self.state[parameter]
        if 'momentum' not in state:
            state['momentum'] = torch.zeros_like(parameter)
        state['momentum'].lerp_(parameter.grad, 1 - momentum)
        return parameter.grad.lerp(state['momentum'], momentum)


def orthogonalise(matrices: Tensor) -> Tensor:
    """Return nearly orthogonal matrices with the same singular vectors, (N, rows, columns)."""
    tall = matrices.shape[-2] > matrices.shape[-1]
    x = matrices.mT if tall else matrices
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    a, b, c = _QUINTIC
    for _ in range(_ITERATIONS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.mT if tall else x
