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

"""How long the answers took."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mem_vla_ros.evaluation.run_trace import RunTrace


@dataclass(frozen=True)
class Latency:
    """Percentiles of one kind of latency [s]."""

    count: int
    p50_s: float
    p95_s: float
    max_s: float

    @staticmethod
    def of(values: Sequence[float]) -> 'Latency | None':
        """Return the percentiles; None without values."""
        if not values:
            return None
        p50, p95 = np.percentile(values, [50, 95])
        return Latency(len(values), float(p50), float(p95), float(max(values)))


def recorded_latency(trace: RunTrace) -> dict[str, Latency]:
    """Return the latencies that the states tell, by level; levels without any are left out."""
    found = {
        'low_level': Latency.of(
            [sum(state.timings_s.values()) for state in trace.low_level if state.timings_s]),
        'high_level': Latency.of(
            [state.latency_s for state in trace.high_level if state.latency_s > 0])}
    return {level: item for level, item in found.items() if item is not None}
