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

"""Policies with a stopwatch: how long this machine takes, kept apart from the results."""

from collections.abc import Callable
import time
from typing import TypeVar

from mem_vla_ros.core.types import ActionChunk, Committed, Decision, Observation
from mem_vla_ros.policies.interface import HighLevelPolicy, LowLevelPolicy

T = TypeVar('T')


class _Stopwatch:
    """Times calls by wall clock."""

    def __init__(self) -> None:
        self.durations_s: list[float] = []

    def _timed(self, call: Callable[[], T]) -> T:
        start = time.perf_counter()
        try:
            return call()
        finally:
            self.durations_s.append(time.perf_counter() - start)


class StopwatchLowLevel(_Stopwatch):
    """A low-level policy whose answers are timed."""

    def __init__(self, policy: LowLevelPolicy) -> None:
        super().__init__()
        self._policy = policy
        self.dt, self.horizon = policy.dt, policy.horizon
        self.frames, self.stride = policy.frames, policy.stride
        self.image_size = policy.image_size

    def predict(
        self, observation: Observation, subtask: str, goal: str, committed: Committed | None,
    ) -> ActionChunk:
        """Answer, timed."""
        return self._timed(
            lambda: self._policy.predict(observation, subtask, goal, committed))

    def reset(self) -> None:
        """Forget the episode."""
        self._policy.reset()


class StopwatchHighLevel(_Stopwatch):
    """A high-level policy whose answers are timed."""

    def __init__(self, policy: HighLevelPolicy) -> None:
        super().__init__()
        self._policy = policy
        self.frames, self.stride = policy.frames, policy.stride
        self.image_size = policy.image_size

    def decide(
        self, observation: Observation, memory: str, goal: str, subtask: str,
    ) -> Decision:
        """Answer, timed."""
        return self._timed(lambda: self._policy.decide(observation, memory, goal, subtask))

    def reset(self) -> None:
        """Forget the episode."""
        self._policy.reset()
