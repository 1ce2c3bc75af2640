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

"""How well the frames that a policy saw stand at the times they stand for."""

from dataclasses import dataclass

import numpy as np

from mem_vla_ros.evaluation.run_trace import RunTrace


@dataclass(frozen=True)
class HistorySpacing:
    """
    Spacing and padding over all inferences.

    :param error_mean_s: Mean over the inferences of the largest distance of a frame [s].
    :param padded: Share of slots without a frame, 0 to 1.
    :param padded_late: The same without slots that lie before the episode's first frame; these
        are losses, the others are only the beginning.
    """

    error_mean_s: float
    error_max_s: float
    padded: float
    padded_late: float


def history_spacing(trace: RunTrace) -> HistorySpacing | None:
    """Return the spacing that the low-level states tell; None without them."""
    states = [state for state in trace.low_level if state.frame_stamps]
    if not states:
        return None
    errors = np.array([state.spacing_error_s for state in states])
    first: dict[str, float] = {}
    padded, late = [], []
    for state in states:
        for camera, stamps in state.frame_stamps.items():
            known = [stamp for stamp in stamps if stamp is not None]
            begin = first.setdefault(camera, min(known, default=state.stamp))
            for slots_back, stamp in enumerate(reversed(stamps)):
                padded.append(stamp is None)
                if state.stamp - slots_back * state.stride >= begin:
                    late.append(stamp is None)
    return HistorySpacing(
        float(errors.mean()), float(errors.max()), float(np.mean(padded)),
        float(np.mean(late)) if late else 0.0)
