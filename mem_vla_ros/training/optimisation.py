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

"""The optimisers of a run as one: rates, clipping, averaging, and their resumable state."""

from copy import deepcopy
import math

import torch
from torch import nn, Tensor

from mem_vla_ros.training.muon import Muon
from mem_vla_ros.training.train_config import TrainConfig


class Optimisation:
    """Moves a model's weights, and keeps their moving average."""

    def __init__(self, model: nn.Module, config: TrainConfig) -> None:
        self.model = model
        self.config = config
        self.average = deepcopy(model).eval().requires_grad_(False)
        matrices, others = split_parameters(model, config.optimiser)
        self._optimisers: list[torch.optim.Optimizer] = [torch.optim.AdamW(
            others, config.adamw_rate, betas=(0.9, 0.98), weight_decay=config.weight_decay)]
        if matrices:
            self._optimisers.append(
                Muon(matrices, config.muon_rate, weight_decay=config.weight_decay))
        for optimiser in self._optimisers:
            for group in optimiser.param_groups:
                group['full_rate'] = group['lr']

    def step(self, loss: Tensor, count: int) -> float:
        """
        Descend once and return the norm of the gradient before clipping.

        :param count: Number of this step, from 0; it decides the rate.
        """
        share = rate_share(count, self.config)
        for optimiser in self._optimisers:
            optimiser.zero_grad()
            for group in optimiser.param_groups:
                group['lr'] = group['full_rate'] * share
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip_norm)
        for optimiser in self._optimisers:
            optimiser.step()
        self._average(count)
        return float(norm)

    @torch.no_grad()
    def _average(self, count: int) -> None:
        # Short at first: the average must not remember the random start.
        keep = min(self.config.ema, (count + 1) / (count + 11))
        torch._foreach_lerp_(
            list(self.average.parameters()), list(self.model.parameters()), 1 - keep)

    def tensors(self) -> dict[str, Tensor]:
        """Return everything that a resumed run needs, flat, for a safetensors file."""
        state = {f'model.{name}': value for name, value in self.model.state_dict().items()}
        state |= {f'average.{name}': value for name, value in self.average.state_dict().items()}
        names = {parameter: name for name, parameter in self.model.named_parameters()}
        for optimiser in self._optimisers:
            for parameter, values in optimiser.state.items():
                for key, value in values.items():
                    state[f'optimiser.{names[parameter]}.{key}'] = torch.as_tensor(value)
        return {name: value.contiguous().clone() for name, value in state.items()}

    def load_tensors(self, tensors: dict[str, Tensor]) -> None:
        """Take back what :meth:`tensors` returned."""
        self.model.load_state_dict(_below('model.', tensors))
        self.average.load_state_dict(_below('average.', tensors))
        parameters = dict(self.model.named_parameters())
        owner = {parameter: optimiser for optimiser in self._optimisers
                 for group in optimiser.param_groups for parameter in group['params']}
        for name, value in _below('optimiser.', tensors).items():
            parameter = parameters[name.rpartition('.')[0]]
            owner[parameter].state[parameter][name.rpartition('.')[2]] = value.clone()


def split_parameters(model: nn.Module, optimiser: str) -> tuple[list[Tensor], list[Tensor]]:
    """Return the hidden matrices for Muon, and all the rest for AdamW."""
    matrices, others = [], []
    for name, parameter in model.named_parameters():
        hidden = parameter.ndim == 2 and (
            'mm_input_projection' in name
            or ('.layers.' in name and 'modulation' not in name))
        (matrices if optimiser == 'muon' and hidden else others).append(parameter)
    return matrices, others


def rate_share(count: int, config: TrainConfig) -> float:
    """Return the share of the full rate at a step: warm-up, then a cosine."""
    warm = min(1.0, (count + 1) / max(config.warmup_steps, 1))
    cosine = 0.5 + 0.5 * math.cos(math.pi * min(count / config.steps, 1.0))
    return warm * (config.final_rate_share + (1 - config.final_rate_share) * cosine)


def _below(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items()
            if name.startswith(prefix)}
