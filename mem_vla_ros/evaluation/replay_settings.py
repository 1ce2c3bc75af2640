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

"""How policies are replayed on a bag."""

from dataclasses import dataclass

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.execution.chunking import MODES


@dataclass(frozen=True)
class ReplaySettings:
    """
    The same choices as the nodes' parameters, and how much time answers take.

    Time passes in the bag, not on this machine: an answer is there after a fixed latency, so
    that results do not depend on how fast the machine is.

    :param frames: Frames per camera for policies without a wish of their own.
    :param stride: Time between them [s].
    :param period_s: Time between two decisions of the high level [s].
    :param low_level_latency_s: Time from observation to chunk [s].
    :param high_level_latency_s: Time from observation to decision [s].
    :param image_size: Side that images are resized to [px]; 0 keeps what comes.
    :param max_input_age_s: Older images and joint states are stale [s].
    :param max_input_lag_s: How far an observation may lie before the newest joint state, waiting
        for cameras [s].
    :param goal: Used if the bag has none.
    """

    frames: int = 6
    stride: float = 1.0
    chunking: str = 'hard'
    execution_horizon: int = 4
    period_s: float = 1.0
    low_level_latency_s: float = 0.1
    high_level_latency_s: float = 0.5
    image_size: int = 0
    max_input_age_s: float = 0.5
    max_input_lag_s: float = 0.2
    goal: str = ''

    def __post_init__(self) -> None:
        # CHECK: chunking is known
        if self.chunking not in MODES:
            raise ConfigError(f'chunking must be one of {list(MODES)}. Got {self.chunking!r}.')
        # CHECK: latencies are times
        for name in ('low_level_latency_s', 'high_level_latency_s'):
            if not 0.0 <= getattr(self, name) < 60.0:
                raise ConfigError(
                    f'{name} must be 0 to 60 seconds. Got {getattr(self, name)}.')
