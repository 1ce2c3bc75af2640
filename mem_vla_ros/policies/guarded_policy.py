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

"""A low-level policy behind one guard: whatever it does, there is an answer with a status."""

from collections.abc import Sequence
import math
from typing import NamedTuple

import numpy as np

from mem_vla_ros.core.types import ActionChunk, Committed, FrameStack, JointStack, Observation
from mem_vla_ros.execution.fault import Fault
from mem_vla_ros.execution.level import Level
from mem_vla_ros.execution.strikes import Strikes
from mem_vla_ros.policies.interface import LowLevelPolicy


class Answer(NamedTuple):
    """
    What a policy said.

    :param chunk: None if the answer cannot be used.
    :param status: ``ok``; or ``failed``, ``out_of_memory``, ``malformed_chunk``,
        ``non_finite_action``.
    :param error: What went wrong.
    """

    chunk: ActionChunk | None
    status: str
    error: str


class GuardedPolicy:
    """
    Catches what a policy raises, checks what it answers, and counts failures in a row.

    :param backoff_s: Pause after the first failure, doubled with each further one [s].
    :param max_failures: Exceptions in a row that are a fault.
    :param max_bad_answers: Answers in a row that are malformed or not finite, and a fault.
    """

    def __init__(
        self, policy: LowLevelPolicy, joint_names: Sequence[str], backoff_s: float = 0.1,
        max_failures: int = 5, max_bad_answers: int = 3,
    ) -> None:
        self.policy = policy
        self.failures = Strikes(max_failures)
        self.bad_answers = Strikes(max_bad_answers)
        self._joint_names = tuple(joint_names)
        self._backoff_s = backoff_s
        self._retry_at = -math.inf

    def ask(
        self, observation: Observation, subtask: str, goal: str, committed: Committed | None,
        fresh: bool = False,
    ) -> Answer:
        """
        Ask the policy; the one place that catches its exceptions.

        If memory runs out, it is asked once more with the current frames alone.

        :param fresh: Let it forget the last episode first.
        """
        try:
            if fresh:
                self.policy.reset()
            try:
                chunk = self.policy.predict(observation, subtask, goal, committed)
            except Exception as error:
                if not _is_out_of_memory(error):
                    raise
                self.policy.reset()
                chunk = self.policy.predict(_current(observation), subtask, goal, committed)
        except Exception as error:
            status = 'out_of_memory' if _is_out_of_memory(error) else 'failed'
            return Answer(None, status, f'{type(error).__name__}: {error}')
        fault = self._check(chunk, observation.stamp)
        return Answer(chunk, 'ok', '') if fault is None else Answer(
            None, fault.name, fault.detail)

    def count(self, answer: Answer, now: float) -> None:
        """Count a failure, or forgive the earlier ones after a success."""
        if answer.status in ('failed', 'out_of_memory'):
            self.failures.strike()
            if answer.status == 'out_of_memory':
                self.failures.trip()
            self._retry_at = now + self._backoff_s * 2 ** (self.failures.count - 1)
        elif answer.chunk is None:
            self.bad_answers.strike()
        else:
            self.failures.clear()
            self.bad_answers.clear()

    def ready(self, now: float) -> bool:
        """Return whether it may be asked: no fault, and the pause after a failure is over."""
        return now >= self._retry_at and Level.FAULT not in self.flags().values()

    def forgive(self) -> None:
        """Forget all failures."""
        self.failures.clear()
        self.bad_answers.clear()
        self._retry_at = -math.inf

    def flags(self) -> dict[str, Level]:
        """Return what a safety gate has to know of the policy."""
        return {
            'policy_exceptions': self.failures.level, 'policy_answers': self.bad_answers.level}

    def _check(self, chunk: ActionChunk, stamp: float) -> Fault | None:
        expected = (self.policy.horizon, len(self._joint_names))
        # CHECK: joints and rows are as agreed
        if chunk.joint_names != self._joint_names or chunk.positions.shape != expected:
            return Fault(
                'malformed_chunk', f'got joints {list(chunk.joint_names)}, shape '
                f'{chunk.positions.shape}; expected {list(self._joint_names)}, {expected}')
        # CHECK: row 0 stands at the observation
        if chunk.stamp != stamp or chunk.dt != self.policy.dt:
            return Fault(
                'malformed_chunk', f'got stamp {chunk.stamp}, dt {chunk.dt}; expected {stamp}, '
                f'{self.policy.dt}')
        # CHECK: positions are finite
        if not np.all(np.isfinite(chunk.positions)):
            return Fault('non_finite_action', 'the policy answered with NaN or infinity')
        return None


def _is_out_of_memory(error: Exception) -> bool:
    """Return whether memory ran out; torch has an error class of its own for that."""
    return isinstance(error, MemoryError) or type(error).__name__ == 'OutOfMemoryError'


def _current(observation: Observation) -> Observation:
    """Return the observation without its past."""
    joints = observation.joints
    return Observation(
        observation.stamp,
        {name: FrameStack(stack.frame(-1)[None], stack.stamps[-1:], stack.valid[-1:])
         for name, stack in observation.cameras.items()},
        JointStack(joints.positions[-1:], joints.stamps[-1:], joints.valid[-1:]),
        observation.velocity)
