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
A low-level policy with named failures, for tests and fault runs.

========= =====================================================================
``raise`` the policy raises an exception
``slow``  the answer comes ``slow_s`` seconds late
``hang``  the answer does not come until :meth:`FaultyPolicy.release`
``nan``   one value of the chunk is NaN
``jump``  the whole chunk is ``jump`` away from where it should be, on the first joint
========= =====================================================================
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from threading import Event
import time

import numpy as np

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.types import ActionChunk, Committed, Observation
from mem_vla_ros.policies.interface import LowLevelPolicy

FAULTS = ('raise', 'slow', 'hang', 'nan', 'jump')


class FaultyPolicy:
    """
    Another policy, failing in one way at chosen calls.

    :param fault: One of ``FAULTS``.
    :param at: Calls that fail, counted from 0; None is every call.
    :param slow_s: How late a slow answer is [s].
    :param jump: How far a jumping chunk is away [rad or m].
    :param sleep: Waits some seconds; tests pass their own.
    """

    def __init__(
        self, policy: LowLevelPolicy, fault: str, at: Collection[int] | None = None,
        slow_s: float = 2.0, jump: float = 1.0, sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if fault not in FAULTS:
            raise ConfigError(f'Fault must be one of {list(FAULTS)}. Got {fault!r}.')
        self.dt = policy.dt
        self.horizon = policy.horizon
        self.frames = policy.frames
        self.stride = policy.stride
        self.image_size = policy.image_size
        self.calls = 0
        self._policy = policy
        self._fault = fault
        self._at = at
        self._slow_s = slow_s
        self._jump = jump
        self._sleep = sleep
        self._released = Event()

    def predict(
        self, observation: Observation, subtask: str, goal: str, committed: Committed | None,
    ) -> ActionChunk:
        """Return the policy's chunk, unless it is time to fail."""
        fails = self._at is None or self.calls in self._at
        self.calls += 1
        if not fails:
            return self._policy.predict(observation, subtask, goal, committed)
        match self._fault:
            case 'raise':
                raise RuntimeError(f'scripted exception at call {self.calls - 1}')
            case 'slow':
                self._sleep(self._slow_s)
            case 'hang':
                self._released.wait()
        chunk = self._policy.predict(observation, subtask, goal, committed)
        return replace(chunk, positions=self._spoiled(chunk))

    def reset(self) -> None:
        """Forget the episode; calls are counted on."""
        self._policy.reset()

    def release(self) -> None:
        """Let hanging calls go on, and the later ones too."""
        self._released.set()

    def _spoiled(self, chunk: ActionChunk) -> np.ndarray:
        positions = chunk.positions.copy()
        if self._fault == 'nan':
            positions[len(positions) // 2, 0] = np.nan
        elif self._fault == 'jump':
            positions[:, 0] += self._jump
        return positions
