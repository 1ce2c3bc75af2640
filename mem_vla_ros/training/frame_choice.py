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
Which frames of an episode one training clip holds.

Frames are a stride apart, beginning at a random phase, and each moves a little, as the stamps of
a robot do. Every frame of the clip is both a target and the past of those after it: that is what
makes training cheap.
"""

import numpy as np
from numpy.typing import NDArray

from mem_vla_ros.training.episode import Episode


def choose_frames(
    episode: Episode, stride_s: float, jitter: int, longest: int, rng: np.random.Generator,
) -> NDArray[np.intp]:
    """
    Return increasing steps of the episode, about a stride apart.

    :param jitter: Largest move of a frame, in recorded steps.
    :param longest: Most frames; of a longer episode a random part is taken. Where it would reach
        beyond the beginning or the end it is moved, or these would hardly ever be seen.
    """
    step_s = float(np.median(np.diff(episode.times))) if len(episode) > 1 else stride_s
    stride = max(1, round(stride_s / step_s))
    phase = int(rng.integers(stride))
    steps = np.arange(phase, len(episode), stride)
    # The very first frame is in a robot's history too, as long as a stride is half over.
    if phase > stride // 2:
        steps = np.concatenate([[0], steps])
    limit = min(jitter, (stride - 1) // 2)
    moved = steps + rng.integers(-limit, limit + 1, len(steps))
    chosen = np.unique(np.clip(moved, 0, len(episode) - 1))
    last = max(len(chosen) - longest, 0)
    start = min(max(int(rng.integers(-longest // 2, last + longest // 2 + 1)), 0), last)
    return chosen[start:start + longest]
