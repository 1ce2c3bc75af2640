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

"""Tests of linear layers that multiply in bfloat16."""

import pytest
import torch
from torch import nn

from mem_vla_ros.training.bfloat16_linear import bfloat16_is_fast, Bfloat16Linear


def _results(layer: nn.Linear, inputs: torch.Tensor) -> list[torch.Tensor]:
    """Return output and gradients."""
    layer.zero_grad()
    leaf = inputs.clone().requires_grad_()
    output = layer(leaf)
    output.square().sum().backward()
    return [output.detach(), leaf.grad, layer.weight.grad.clone(), layer.bias.grad.clone()]


def test_wide_layers_are_nearly_equal_in_bfloat16_forwards_and_backwards():
    torch.manual_seed(0)
    layer, inputs = nn.Linear(128, 96), torch.randn(4, 7, 128)
    exact = _results(layer, inputs)
    with Bfloat16Linear():
        rough = _results(layer, inputs)
    for want, got in zip(exact, rough, strict=True):
        assert got.dtype == torch.float32 and got.shape == want.shape
        error = (got - want).norm() / want.norm()
        assert 0 < error < 0.02


def test_narrow_layers_stay_exact():
    torch.manual_seed(0)
    layer, inputs = nn.Linear(128, 7), torch.randn(5, 128)
    exact = _results(layer, inputs)
    with Bfloat16Linear():
        assert all(map(torch.equal, _results(layer, inputs), exact))


@pytest.mark.parametrize('capabilities, fast', [
    ({'avx512_f': True, 'avx512_bf16': False}, False), ({'avx512_bf16': True}, True), ({}, False)])
def test_bfloat16_is_fast_where_the_cpu_has_units_for_it(monkeypatch, capabilities, fast):
    monkeypatch.setattr(torch.cpu, 'get_capabilities', lambda: capabilities, raising=False)
    assert bfloat16_is_fast() == fast
