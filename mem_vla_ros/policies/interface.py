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
The two interfaces that hold the system together.

Everything that runs a policy (nodes, rollouts, bag replay) knows only these; everything that is
a policy (checkpoints, prompted models, endpoints, scripted experts) implements one of them.
"""

from typing import Protocol

from mem_vla_ros.core.types import ActionChunk, Committed, Decision, Observation


class HighLevelPolicy(Protocol):
    """Chooses the next subtask and rewrites the language memory."""

    #: Frames per camera that the policy wants, the current one included.
    frames: int
    #: Time between those frames [s].
    stride: float
    #: Side of the images that the policy wants [px]; 0 takes any.
    image_size: int

    def decide(
        self, observation: Observation, memory: str, goal: str, subtask: str,
    ) -> Decision:
        """
        Return the subtask to do now and the memory to keep.

        :param memory: The memory that this policy wrote last; empty at the start.
        :param subtask: The subtask that is running; empty at the start.
        :raises PolicyError: if there is no usable answer; memory and subtask then stay.
        """
        ...

    def reset(self) -> None:
        """Forget the episode."""
        ...


class LowLevelPolicy(Protocol):
    """Turns the last seconds of video and joint states into an action chunk."""

    #: Time between the rows of a chunk [s].
    dt: float
    #: Rows of a chunk.
    horizon: int
    #: Frames per camera that the policy wants, the current one included.
    frames: int
    #: Time between those frames [s].
    stride: float
    #: Side of the images that the policy wants [px]; 0 takes any.
    image_size: int

    def predict(
        self, observation: Observation, subtask: str, goal: str, committed: Committed | None,
    ) -> ActionChunk:
        """
        Return a chunk whose row 0 is due at ``observation.stamp``.

        :param committed: What is left of the running chunk; None at a cold start.
        :raises PolicyError: if there is no usable answer.
        """
        ...

    def reset(self) -> None:
        """Forget the episode."""
        ...
