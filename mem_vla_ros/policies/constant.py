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

"""A policy that stays where the joints are: the smallest that there is."""

from collections.abc import Sequence

import numpy as np

from mem_vla_ros.core.types import ActionChunk, Committed, Observation


class ConstantPolicy:
    """Answers every observation with its own joint positions."""

    def __init__(
        self, joint_names: Sequence[str], dt: float = 0.1, horizon: int = 16, frames: int = 1,
        stride: float = 1.0,
    ) -> None:
        self.dt = dt
        self.horizon = horizon
        self.frames = frames
        self.stride = stride
        self.image_size = 0
        self._joint_names = tuple(joint_names)

    def predict(
        self, observation: Observation, subtask: str, goal: str, committed: Committed | None,
    ) -> ActionChunk:
        """Return a chunk that begins and ends at the present position."""
        rows = np.tile(observation.position, (self.horizon, 1))
        return ActionChunk(self._joint_names, observation.stamp, self.dt, rows)

    def reset(self) -> None:
        """Forget the episode; there is nothing to forget."""
