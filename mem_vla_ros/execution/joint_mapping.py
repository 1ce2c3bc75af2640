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

"""Joint states in the robot file's order: mapped by name, never by place."""

from collections.abc import Sequence
import math

import numpy as np

from mem_vla_ros.core.types import FloatArray
from mem_vla_ros.execution.fault import Fault


def map_joints(
    wanted: Sequence[str], names: Sequence[str], positions: Sequence[float] | FloatArray,
) -> FloatArray | Fault:
    """
    Return the positions of the wanted joints in that order, shape (J,), or why there are none.

    Joints that nobody wants are ignored, whatever their value.
    """
    # CHECK: one position per name
    if len(names) != len(positions):
        return Fault(
            'malformed_joints', f'got {len(names)} names and {len(positions)} positions')
    by_name = dict(zip(names, positions, strict=True))
    # CHECK: every joint is there
    missing = [name for name in wanted if name not in by_name]
    if missing:
        return Fault('missing_joints', f'missing {missing}, got {list(names)}', missing[0])
    # CHECK: positions are finite
    bad = [name for name in wanted if not math.isfinite(by_name[name])]
    if bad:
        return Fault('non_finite_joints', f'not finite: {bad}', bad[0])
    return np.array([by_name[name] for name in wanted], dtype=np.float64)
