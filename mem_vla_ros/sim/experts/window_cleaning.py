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

"""Expert of the task window cleaning."""

from mem_vla_ros.sim.experts.director import deliver, Director
from mem_vla_ros.sim.experts.scene_view import SceneView


class WindowCleaningDirector(Director):
    """Sprays, wipes part by part, throws the towel away."""

    def choose(self, view: SceneView, memory: str) -> tuple[str, str]:
        """Return subtask and memory."""
        state = view.state
        # A part counts once the towel is back from it: decisions see no further than the hand.
        wiped = [part for part in state['wiped']
                 if self._is_back(view) or f'the {part} of' not in self._last_wipe]
        memory = self._remember(state['sprayed'], wiped)
        if state['thrown']:
            return 'go home', 'I cleaned the window and threw the paper towel away.'
        if view.held == 'spray bottle' or not state['sprayed']:
            if view.carries('spray bottle') and not state['sprayed']:
                return 'spray the window', memory
            return deliver(view, 'spray bottle', 'on the coaster'), memory
        if not view.carries('paper towel'):
            return 'pick up the paper towel', memory
        if not self._is_back(view):
            return self._last_wipe, memory
        if state['next']:
            self._last_wipe = f"wipe the {state['next']} of the window"
            return self._last_wipe, memory
        self._last_wipe = ''
        return 'put the paper towel in the trash', memory

    def reset(self) -> None:
        """Forget the episode."""
        super().reset()
        self._last_wipe = ''

    def _is_back(self, view: SceneView) -> bool:
        """Return whether the towel is off the glass after the last stroke."""
        return not self._last_wipe or view.rests_at(view.place('front of the window'))

    @staticmethod
    def _remember(sprayed: bool, wiped: list[str]) -> str:
        if not sprayed:
            return ''
        if not wiped:
            return 'I sprayed the window.'
        if len(wiped) == 4:
            return 'I sprayed and wiped the whole window.'
        return f"I sprayed the window and wiped the {' and the '.join(wiped)}."
