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
Normalisation of states and actions to [-1, 1], and its file.

By fixed joint ranges (the same for every task of a robot, so that models can be continued on
another task) or by quantiles of a data set (pi0.5: 1 % and 99 %).
"""

from dataclasses import dataclass
import json
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import pad

from mem_vla_ros.models.errors import CheckpointError, ShapeError


@dataclass(frozen=True)
class Scaling:
    """A linear map of each dimension from [low, high] to [-1, 1]."""

    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse bounds that cannot be inverted."""
        # CHECK: as many lows as highs
        if len(self.low) != len(self.high):
            raise ShapeError(f'{len(self.low)} low bounds for {len(self.high)} high bounds.')
        # CHECK: every range is open and finite
        for index, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            if not 0 < high - low < float('inf'):
                raise ShapeError(
                    f'Dimension {index} has the range {low} to {high}. It must be finite and '
                    'low < high.')

    @property
    def size(self) -> int:
        """Return the real dimensions."""
        return len(self.low)

    @classmethod
    def from_quantiles(cls, values: Tensor, share: float = 0.01) -> 'Scaling':
        """
        Return the scaling between the quantiles of a data set.

        :param values: (..., D). A constant dimension gets a range of 1 around it.
        :param share: Quantile of the low end; the high end mirrors it.
        """
        flat = values.flatten(0, -2).double()
        low, high = flat.quantile(share, dim=0), flat.quantile(1 - share, dim=0)
        half = torch.where(high - low < 1e-6, 0.5, 0.0)
        return cls(tuple((low - half).tolist()), tuple((high + half).tolist()))

    def normalise(self, values: Tensor, width: int | None = None) -> Tensor:
        """
        Return float32 values in [-1, 1] (outside, where the data is), padded with zeros.

        :param width: Last dimension of the result; the real one by default.
        """
        low, high = self._bounds(values)
        scaled = (2 * (values.double() - low) / (high - low) - 1).float()
        return pad(scaled, (0, (width or self.size) - self.size))

    def denormalise(self, values: Tensor) -> Tensor:
        """Return float64 values in their units; padding is cut off."""
        values = values[..., :self.size].double()
        low, high = self._bounds(values)
        return (values + 1) / 2 * (high - low) + low

    def normalise_rate(self, rates: Tensor, width: int | None = None) -> Tensor:
        """Return changes per second in normalised units, float32, padded with zeros."""
        low, high = self._bounds(rates)
        scaled = (2 * rates.double() / (high - low)).float()
        return pad(scaled, (0, (width or self.size) - self.size))

    def _bounds(self, values: Tensor) -> tuple[Tensor, Tensor]:
        if values.shape[-1] != self.size:
            raise ShapeError(f'Expected {self.size} dimensions. Got {values.shape[-1]}.')
        low, high = torch.tensor(
            [self.low, self.high], dtype=torch.float64, device=values.device)
        return low, high


@dataclass(frozen=True)
class Normalisation:
    """The statistics of a checkpoint: one scaling for states, one for actions."""

    state: Scaling
    action: Scaling
    # Where the bounds come from: 'ranges' or 'quantiles'.
    method: str = 'ranges'
    # Dimensions whose actions count from the newest state; others are positions, as grippers are.
    relative: tuple[int, ...] = ()
    # Spread of each row of a chunk in the relative dimensions: soon means close. Empty: all 1.
    row_spread: tuple[float, ...] = ()

    def normalise_chunk(self, positions: Tensor, now: Tensor, width: int | None = None) -> Tensor:
        """
        Return a chunk as the model sees it, (..., H, width).

        :param positions: Rows in their units, (..., H, D).
        :param now: The newest state, (..., D).
        """
        chunk = self.action.normalise(positions - self._origin(now), width)
        return chunk / self._spread(chunk)

    def denormalise_chunk(self, chunk: Tensor, now: Tensor) -> Tensor:
        """Return the positions of a model's chunk, float64 (..., H, D)."""
        return self.action.denormalise(chunk * self._spread(chunk)) + self._origin(now)

    def _spread(self, chunk: Tensor) -> Tensor:
        spread = torch.ones(chunk.shape[-2:], device=chunk.device)
        if self.row_spread:
            rows = torch.tensor(self.row_spread[:chunk.shape[-2]], device=chunk.device)
            spread[:, list(self.relative)] = rows[:, None]
        return spread

    def _origin(self, now: Tensor) -> Tensor:
        origin = torch.zeros_like(now, dtype=torch.float64)
        chosen = list(self.relative)
        origin[..., chosen] = now[..., chosen].double()
        return origin[..., None, :]

    def save(self, path: Path) -> None:
        """Write the statistics as JSON."""
        content = {'method': self.method, 'relative': self.relative,
                   'row_spread': self.row_spread, **{
            name: {'low': scaling.low, 'high': scaling.high}
            for name, scaling in (('state', self.state), ('action', self.action))}}
        path.write_text(json.dumps(content, indent=2) + '\n')

    @classmethod
    def load(cls, path: Path) -> 'Normalisation':
        """
        Read the statistics.

        :raises CheckpointError: if a key is missing or a bound makes no sense.
        """
        try:
            content = json.loads(path.read_text())
            state, action = (
                Scaling(tuple(content[name]['low']), tuple(content[name]['high']))
                for name in ('state', 'action'))
            return cls(
                state, action, content['method'], tuple(content.get('relative', ())),
                tuple(content.get('row_spread', ())))
        except (OSError, ValueError, KeyError, TypeError, ShapeError) as error:
            raise CheckpointError(f'{path}: bad normalisation statistics: {error!r}.') from error
