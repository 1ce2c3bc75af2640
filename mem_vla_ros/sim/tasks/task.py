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

"""Task: what a scene holds, how an episode starts, and what earns points."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from mem_vla_ros.sim.grasping import Grasping
from mem_vla_ros.sim.scene.arm import HAND_BODY, TOOL
from mem_vla_ros.sim.scene.handle import Handle
from mem_vla_ros.sim.scene.part import Part
from mem_vla_ros.sim.scene.thing import Thing
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.simulation import Simulation

Point = list[float]


class Task(ABC):
    """
    One task of the suite; one object serves one world.

    :cvar goal: The instruction, as given to the policies.
    :cvar ability: Which memory ability it tests.
    :cvar remembered: What must be remembered.
    :cvar chance: Success of the best policy without memory, and why.
    :cvar time_limit: End of the episode [simulated s].
    :cvar history: How far back the decisive events lie at the moment of decision [s].
    :cvar travel_height: Lowest height at which things are carried over the furniture [m].
    :cvar secrets: What a memoryless policy can't see at the moment of decision.
    """

    name: ClassVar[str]
    goal: ClassVar[str]
    ability: ClassVar[str]
    remembered: ClassVar[str]
    chance: ClassVar[float]
    time_limit: ClassVar[float]
    history: ClassVar[float]
    travel_height: ClassVar[float] = 0.0
    max_points: ClassVar[float] = 1.0
    secrets: ClassVar[tuple[Any, ...]] = (None,)

    simulation: Simulation
    grasping: Grasping
    secret: Any
    # How much longer an episode may take, because the arm is held meanwhile [s].
    extra_time: float = 0.0

    def bind(self, simulation: Simulation, grasping: Grasping) -> None:
        """Take the world that this task runs in."""
        self.simulation = simulation
        self.grasping = grasping

    @abstractmethod
    def parts(self) -> list[Part]:
        """Return everything in the scene besides table, arm and cameras."""

    def things(self) -> Sequence[Thing]:
        """Return what can be picked up."""
        return ()

    def handles(self) -> Sequence[Handle]:
        """Return what can be held but not carried away."""
        return ()

    @abstractmethod
    def reset(self, rng: np.random.Generator) -> None:
        """Arrange a new episode; ``self.secret`` is set already."""

    def update(self) -> None:  # noqa: B027
        """Let the rest of the world act; called every 20 ms of simulated time."""

    def places(self) -> dict[str, Point]:
        """Return named places where things can be put: the middle of the surface."""
        return {}

    def state(self) -> dict[str, Any]:
        """Return what only an expert may know, as plain values."""
        return {}

    def rests_at(self, thing: str, point: Sequence[float], radius: float) -> bool:
        """Return whether a thing lies near a point and the hand has moved away from it."""
        position = self.simulation.position(thing)
        if self.grasping.held == thing or np.hypot(*(position[:2] - point[:2])) > radius:
            return False
        return bool(np.linalg.norm(self.simulation.point(HAND_BODY, TOOL) - position) > 0.045)

    @abstractmethod
    def score(self) -> Score:
        """Return the points so far."""

    def make_score(
        self, details: dict[str, Any], points: float, success: bool, failure: str = '',
        missing: str = '',
    ) -> Score:
        """
        Return a score.

        The reason is one of few for each task, so that episodes can be counted by it.

        :param failure: Why nothing can make it a success any more.
        :param missing: What comes next, and was not reached if time runs out here.
        """
        late = self.simulation.time >= self.time_limit + self.extra_time - 1e-6
        out_of_time = f'out of time: {missing}' if late else ''
        reason = failure or ('task completed' if success else out_of_time)
        success = success and not failure
        return Score(
            points=float(points), max_points=self.max_points, success=success,
            failed=bool(failure) or (late and not success), done=bool(reason), reason=reason,
            details=details)
