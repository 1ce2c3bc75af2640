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
Linear layers whose products are computed in bfloat16, for CPUs that have units for it.

Weights, gradients and everything between the products stay in float32. Unlike torch's autocast
this leaves attention alone, whose backward pass is slow in bfloat16 on CPUs.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear
from torch.overrides import TorchFunctionMode

# Narrower ones gain nothing, and the actions themselves come out of one.
_NARROWEST = 64
# What torch calls the units of Intel, AMD and ARM.
_UNITS = ('avx512_bf16', 'amx_bf16', 'bf16')


def bfloat16_is_fast() -> bool:
    """Return whether this CPU has units for bfloat16; without them it is four times as slow."""
    capabilities = getattr(torch.cpu, 'get_capabilities', dict)()
    return any(capabilities.get(unit) for unit in _UNITS)


class Bfloat16Linear(TorchFunctionMode):
    """Inside this context, wide linear layers multiply in bfloat16, backwards too."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None,
    ) -> Any:
        """Take over the calls of ``linear``."""
        if func is not linear or kwargs:
            return func(*args, **(kwargs or {}))
        inputs, weight, bias = (*args, None)[:3]
        if min(weight.shape) < _NARROWEST:
            return func(*args)
        product = _Product.apply(inputs.flatten(0, -2), weight).unflatten(0, inputs.shape[:-1])
        return product if bias is None else product + bias


class _Product(torch.autograd.Function):
    """``inputs @ weight.T``, (N, in) and (out, in) -> (N, out)."""

    @staticmethod
    def forward(context: Any, inputs: Tensor, weight: Tensor) -> Tensor:
        inputs, weight = inputs.bfloat16(), weight.bfloat16()
        context.save_for_backward(inputs, weight)
        return (inputs @ weight.t()).float()

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        inputs, weight = context.saved_tensors
        gradient = gradient.bfloat16()
        return (gradient @ weight).float(), (gradient.t() @ inputs).float()
