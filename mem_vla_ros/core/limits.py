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

"""Limits of the joints, in the order of the robot file."""

from dataclasses import dataclass

import numpy as np

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.types import FloatArray


@dataclass(frozen=True)
class JointLimits:
    """
    Position and velocity limits, one value per joint.

    :param lower: Smallest position [rad or m], shape (J,).
    :param upper: Largest position [rad or m], shape (J,).
    :param velocity: Largest speed [rad/s or m/s], shape (J,).
    """

    names: tuple[str, ...]
    lower: FloatArray
    upper: FloatArray
    velocity: FloatArray

    def __post_init__(self) -> None:
        count = len(self.names)
        # CHECK: names are unique
        if len(set(self.names)) != count:
            raise ConfigError(f'Joint names must be unique. Got {list(self.names)}.')
        # CHECK: one finite value per joint
        for label in ('lower', 'upper', 'velocity'):
            values = getattr(self, label)
            if values.shape != (count,) or not np.all(np.isfinite(values)):
                raise ConfigError(
                    f'Joint limit {label!r} needs {count} finite values. Got {values.tolist()}.')
        # CHECK: ranges are not empty
        for name, low, high, speed in zip(
                self.names, self.lower, self.upper, self.velocity, strict=True):
            if low >= high:
                raise ConfigError(f'Joint {name!r}: lower {low} must be below upper {high}.')
            if speed <= 0:
                raise ConfigError(f'Joint {name!r}: velocity must be above 0. Got {speed}.')

    def clip(self, positions: FloatArray) -> FloatArray:
        """Return the positions, shape (..., J), moved inside the position limits."""
        return np.clip(positions, self.lower, self.upper)
