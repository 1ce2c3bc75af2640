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

"""Alternating timing: every round measures every run, so a busy machine disturbs all alike."""

from collections.abc import Callable
from statistics import median
import time

Run = Callable[[], object]
Seconds = dict[str, list[float]]


def measure(runs: dict[str, Run], rounds: int) -> Seconds:
    """Return CPU seconds of each run in each round."""
    seconds: Seconds = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.process_time()
            run()
            seconds[name].append(time.process_time() - start)
    return seconds


def ratio(seconds: Seconds, over: str, under: str) -> float:
    """Return the median over the rounds of one run's time over another's."""
    pairs = zip(seconds[over], seconds[under], strict=True)
    return round(median(a / b for a, b in pairs), 3)
