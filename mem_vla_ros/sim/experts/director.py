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

"""Director: the scripted high level of one task."""

from abc import ABC, abstractmethod

from mem_vla_ros.core.types import Decision
from mem_vla_ros.sim.experts.scene_view import SceneView


class Director(ABC):
    """
    Says what to do next and what to remember, from the oracle.

    ``running`` is the subtask that stands while the next one is chosen.
    """

    def reset(self) -> None:
        """Forget the episode."""
        self._misses = 0
        self.running = ''

    def decide(self, view: SceneView, memory: str, subtask: str) -> Decision:
        """Return the next subtask, the memory, and how the last subtask went."""
        self.running = subtask
        chosen, remembered = self.choose(view, memory)
        if self._is_unfinished(view, subtask):
            # What is not over is not remembered yet: subtask and memory change together.
            chosen, remembered = subtask, memory
        misses = self.seen_misses(view)
        missed = misses > self._misses
        self._misses = misses
        succeeded = None
        if subtask and (chosen != subtask or missed):
            succeeded = not missed
        return Decision(chosen, remembered, details={'succeeded': succeeded})

    def seen_misses(self, view: SceneView) -> int:
        """Return how many misses are over, that is, when to start anew."""
        return view.misses

    @staticmethod
    def _is_unfinished(view: SceneView, subtask: str) -> bool:
        """Return whether the hand has yet to let go of something or to move away from it."""
        verb, _, rest = subtask.partition(' the ')
        if verb in ('open', 'close') and rest in view.handles:
            return not view.hand_is_clear(rest)
        if verb == 'scrub' or (verb == 'wipe' and rest.endswith('counter')):
            return not (view.still and view.tool[2] > 0.1)
        if verb == 'put':
            return view.held is None and not view.hand_is_free()
        return verb == 'flip' and not view.hand_is_free()

    @abstractmethod
    def choose(self, view: SceneView, memory: str) -> tuple[str, str]:
        """Return subtask and memory."""


def deliver(view: SceneView, thing: str, where: str) -> str:
    """
    Return the subtask that brings a thing somewhere.

    :param where: Such as ``on the mat``.
    """
    return f'put the {thing} {where}' if view.carries(thing) else f'pick up the {thing}'
