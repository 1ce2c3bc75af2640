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

"""Whether the running robot chose the frames that the recording says it should have."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mem_vla_ros.core.states import LowLevelState
from mem_vla_ros.core.types import BoolArray, FloatArray
from mem_vla_ros.evaluation.run_trace import RunTrace
from mem_vla_ros.execution.history_sampling import sample_history

_STAMP_TOLERANCE_S = 1e-6


@dataclass(frozen=True)
class HistoryParity:
    """
    Choice of frames by the running nodes against the choice from the bag.

    :param equal: Share of inferences in which all slots of all cameras are equal, 0 to 1.
    :param past_equal: The same without the newest slot, which may be older if a camera was late.
    """

    inferences: int
    equal: float
    past_equal: float


def history_parity(
    trace: RunTrace, stamps: Mapping[str, list[float]],
) -> HistoryParity | None:
    """
    Choose again for every low-level state and compare.

    :param stamps: Camera -> stamps of all its frames in the bag.
    :returns: None without low-level states that tell their frames and stride.
    """
    sorted_stamps = {camera: np.unique(values) for camera, values in stamps.items()}
    equal, past = [], []
    for state in trace.low_level:
        cameras = [name for name in state.frame_stamps if name in sorted_stamps]
        if cameras and state.stride > 0.0:
            matches = [_matches(state, name, sorted_stamps[name]) for name in cameras]
            equal.append(all(match.all() for match in matches))
            past.append(all(match[:-1].all() for match in matches))
    if not equal:
        return None
    return HistoryParity(len(equal), float(np.mean(equal)), float(np.mean(past)))


def _matches(state: LowLevelState, camera: str, stamps: FloatArray) -> BoolArray:
    seen = np.array(
        [np.nan if stamp is None else stamp for stamp in state.frame_stamps[camera]])
    stamps = stamps if state.since is None else stamps[stamps >= state.since]
    chosen = sample_history(
        stamps, state.stamp, len(seen), state.stride, grain=state.grain or None)
    expected = np.append(stamps, np.nan)[chosen.indices]  # -1 is padding
    equal: BoolArray = np.isclose(
        seen, expected, rtol=0.0, atol=_STAMP_TOLERANCE_S, equal_nan=True)
    return equal
