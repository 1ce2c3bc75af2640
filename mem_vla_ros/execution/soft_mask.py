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
Weights of real-time chunking: how firmly each row of a new chunk is tied to the running one.

Real-time execution of action chunking flow policies, arXiv 2506.07339, equation 5.
"""

import numpy as np

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.types import FloatArray

KINDS = ('zeros', 'ones', 'linear', 'exp')


def soft_mask(
    horizon: int, delay: int, execution_horizon: int, kind: str = 'exp',
) -> FloatArray:
    """
    Return one weight per row of the new chunk, shape (horizon,).

    Rows before ``delay`` are 1, because they will have been executed; the last
    ``execution_horizon`` rows are 0, because the running chunk does not reach them; between,
    the weight falls.

    :param kind: Fall between the two: ``zeros`` (hard mask), ``ones``, ``linear`` or ``exp``.
    :raises ConfigError: if the kind is unknown, or not 0 <= delay <= horizon - execution_horizon.
    """
    end = horizon - execution_horizon
    if not 0 <= delay <= end:
        raise ConfigError(
            f'delay must be in 0..{end} (horizon {horizon} less execution horizon '
            f'{execution_horizon}). Got {delay}.')
    rows = np.arange(horizon, dtype=np.float64)
    linear = np.clip((end - rows) / (end - delay + 1), 0.0, 1.0)
    match kind:
        case 'zeros':
            fall = np.zeros(horizon)
        case 'ones':
            fall = np.ones(horizon)
        case 'linear':
            fall = linear
        case 'exp':
            fall = linear * np.expm1(linear) / np.expm1(1.0)
        case _:
            raise ConfigError(f'Soft mask must be one of {list(KINDS)}. Got {kind!r}.')
    return np.where(rows < delay, 1.0, np.where(rows < end, fall, 0.0))
