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

"""Expert: the scripted high and low level of any task."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mem_vla_ros.core.errors import PolicyError
from mem_vla_ros.core.types import Decision, FloatArray
from mem_vla_ros.sim.experts.follower import Follower
from mem_vla_ros.sim.experts.outcome import seems_done
from mem_vla_ros.sim.experts.registry import make_director
from mem_vla_ros.sim.experts.scene_view import SceneView
from mem_vla_ros.sim.experts.skills import plan_subtask
from mem_vla_ros.sim.experts.waypoint import Waypoint

# A plan that ended this long ago while its subtask still stands is repeated: soon if it has
# visibly failed, late if nobody can tell.
_RETRY_AFTER, _REPEAT_AFTER = 0.6, 3.0


class Expert:
    """
    Decides and acts from the oracle, through the same interfaces as a policy.

    ``decide`` and ``chunk`` share no state, so each may run in a process of its own; the low
    level knows the subtask's text and the oracle, nothing else.
    """

    def __init__(self, task: str, mistakes: float = 0.0) -> None:
        """
        Make the expert of a task.

        :param mistakes: Share of the pick-ups that miss on purpose and are repeated.
        """
        self._director = make_director(task)
        self._mistakes = mistakes
        self.reset()

    def reset(self, seed: int = 0) -> None:
        """Forget the episode; the seed chooses the mistakes of the next one."""
        self._rng = np.random.default_rng((seed, 3))
        self._director.reset()
        self._subtask = ''
        self._follower = Follower([])
        self._idle_since: float | None = None
        # The running plan misses on purpose.
        self.mistaken = False

    def forget_plan(self) -> None:
        """Plan anew at the next chunk: somebody else has moved the arm."""
        self._subtask = ''
        self.mistaken = False

    def decide(self, oracle: Mapping[str, Any], memory: str, subtask: str) -> Decision:
        """
        Return the next subtask and the memory to keep.

        ``details['succeeded']`` tells how the last subtask went if a new one or a new attempt
        starts, else None.
        """
        return self._director.decide(SceneView(oracle), memory, subtask)

    def chunk(
        self, time: float, joint_positions: FloatArray, reference: FloatArray,
        oracle: Mapping[str, Any], subtask: str, rows: int = 16, dt: float = 0.1,
    ) -> FloatArray:
        """
        Return references that carry out the subtask, shape (rows, 7).

        Row 0 is the present reference, row i is due ``i * dt`` later.

        :param reference: Where the reference is now, shape (7,).
        :raises PolicyError: if the subtask is not one that the experts know.
        """
        if subtask != self._subtask or self._must_retry(
                time, reference, SceneView(oracle), dt):
            self._follower = Follower(self._plan(subtask, oracle))
            self._subtask = subtask
            self._idle_since = None
        return self._follower.chunk(time, joint_positions, reference, rows, dt)

    def _plan(self, subtask: str, oracle: Mapping[str, Any]) -> list[Waypoint]:
        view = self._perceive(oracle)
        try:
            return plan_subtask(subtask, view)
        except PolicyError:
            if not self.mistaken:
                raise
            # So far off that it would be another thing: no mistake that anybody makes.
            self.mistaken = False
            return plan_subtask(subtask, SceneView(oracle))

    def _perceive(self, oracle: Mapping[str, Any]) -> SceneView:
        """Return the scene, or one in which all things are a little off."""
        self.mistaken = self._mistakes > 0.0 and self._rng.random() < self._mistakes
        if not self.mistaken:
            return SceneView(oracle)
        angle, distance = self._rng.uniform(0.0, 2 * np.pi), self._rng.uniform(0.05, 0.08)
        shift = distance * np.array([np.cos(angle), np.sin(angle), 0.0])
        things = {name: {**thing, 'at': list(np.array(thing['at']) + shift)}
                  for name, thing in oracle['things'].items()}
        return SceneView({**oracle, 'things': things})

    def _must_retry(
        self, time: float, reference: FloatArray, view: SceneView, dt: float,
    ) -> bool:
        if not self._follower.finished(time, reference, dt):
            self._idle_since = None
            return False
        if self._idle_since is None:
            self._idle_since = time
        done = seems_done(self._subtask, view)
        patience = _REPEAT_AFTER if done is None else _RETRY_AFTER
        return not done and time - self._idle_since > patience
