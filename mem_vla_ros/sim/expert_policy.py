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
The scripted expert behind the two policy interfaces.

It sees what no learned policy may see: the simulator's state, given by ``set_oracle``.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mem_vla_ros.core.errors import PolicyError
from mem_vla_ros.core.robot import Robot
from mem_vla_ros.core.types import ActionChunk, Committed, Decision, FloatArray, Observation
from mem_vla_ros.sim.experts.expert import Expert

# Further than this from the last chunk, the arm has not followed it [rad or m].
_STRAYED = 0.3


class _OracleReader:
    """Keeps the newest oracle and the expert of its task."""

    def __init__(self) -> None:
        self._oracle: Mapping[str, Any] | None = None
        self._expert: Expert | None = None
        self._task = ''

    def set_oracle(self, oracle: Mapping[str, Any]) -> None:
        """Take in the newest state of the simulator."""
        self._oracle = oracle

    def reset(self) -> None:
        """Forget the episode; the oracle stays, it is about the present."""
        if self._expert is not None:
            self._expert.reset()

    def _ask(self) -> tuple[Expert, Mapping[str, Any]]:
        oracle = self._oracle
        if oracle is None:
            raise PolicyError("The scripted expert needs the simulator's oracle; none came yet.")
        if oracle['task'] != self._task:
            self._expert, self._task = Expert(oracle['task']), oracle['task']
        assert self._expert is not None
        return self._expert, oracle


class ExpertHighLevel(_OracleReader):
    """The expert's decisions, as a high-level policy."""

    frames = 1
    stride = 1.0
    image_size = 0

    def decide(
        self, observation: Observation, memory: str, goal: str, subtask: str,
    ) -> Decision:
        """Return the next subtask and the memory to keep."""
        expert, oracle = self._ask()
        return expert.decide(oracle, memory, subtask)


class ExpertLowLevel(_OracleReader):
    """The expert's motions, as a low-level policy."""

    dt = 0.1
    horizon = 16
    image_size = 0

    def __init__(self, robot: Robot, frames: int = 1, stride: float = 1.0) -> None:
        super().__init__()
        self.frames = frames
        self.stride = stride
        self._robot = robot
        self._last: ActionChunk | None = None

    def reset(self) -> None:
        """Forget the episode."""
        super().reset()
        self._last = None

    def predict(
        self, observation: Observation, subtask: str, goal: str, committed: Committed | None,
    ) -> ActionChunk:
        """Return the chunk that carries out the subtask from where the reference stands."""
        expert, oracle = self._ask()
        rows = expert.chunk(
            observation.stamp, observation.position, self._reference(observation, committed),
            oracle, subtask, self.horizon, self.dt)
        self._last = ActionChunk(self._robot.joint_names, observation.stamp, self.dt, rows)
        return self._last

    def _reference(self, observation: Observation, committed: Committed | None) -> FloatArray:
        if committed is not None:
            first: FloatArray = committed.positions[0]
            return first
        if self._last is None:
            return observation.position
        expected = np.array([
            np.interp(observation.stamp, self._last.times, column)
            for column in self._last.positions.T])
        strayed = np.abs(expected - observation.position).max() > _STRAYED
        return observation.position if strayed else expected
