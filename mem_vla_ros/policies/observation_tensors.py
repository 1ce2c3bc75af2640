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

"""Observations as the tensors that MemVLA reads."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from mem_vla_ros.core.types import Observation


def image_tensors(
    observation: Observation, cameras: Sequence[str],
) -> tuple[Tensor, Tensor, Tensor]:
    """Return images uint8 (1, C, K, 3, H, W), stamps float64 and valid bool (1, C, K)."""
    stacks = [observation.cameras[name] for name in cameras]
    images = torch.from_numpy(np.stack([stack.images for stack in stacks]))
    return (
        images.permute(0, 1, 4, 2, 3)[None],
        torch.from_numpy(np.stack([stack.stamps for stack in stacks]))[None],
        torch.from_numpy(np.stack([stack.valid for stack in stacks]))[None])
