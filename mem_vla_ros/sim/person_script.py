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

"""PersonScript: a person's hand that follows key points and does something at some of them."""

from collections.abc import Callable

import numpy as np

from mem_vla_ros.core.types import FloatArray
from mem_vla_ros.sim.scene.person import PERSON
from mem_vla_ros.sim.simulation import Simulation


class PersonScript:
    """Straight lines between key points in time."""

    def __init__(self, simulation: Simulation, start: FloatArray) -> None:
        self._simulation = simulation
        self._times = [0.0]
        self._points = [np.asarray(start, dtype=np.float64)]
        self._actions: list[tuple[float, Callable[[], None]]] = []

    @property
    def end(self) -> float:
        """Return when the last point is reached [s]."""
        return self._times[-1]

    def move(self, point: FloatArray | list[float], duration: float) -> None:
        """Go on to a point."""
        self._times.append(self.end + duration)
        self._points.append(np.asarray(point, dtype=np.float64))

    def wait(self, duration: float) -> None:
        """Stay."""
        self.move(self._points[-1], duration)

    def act(self, action: Callable[[], None]) -> None:
        """Do something on arrival."""
        self._actions.append((self.end, action))

    def update(self) -> None:
        """Bring the hand to where it is at the simulated time."""
        now = self._simulation.time
        columns = np.stack(self._points, axis=1)
        self._simulation.move_mocap(
            PERSON, np.array([np.interp(now, self._times, column) for column in columns]))
        while self._actions and now >= self._actions[0][0]:
            self._actions.pop(0)[1]()
