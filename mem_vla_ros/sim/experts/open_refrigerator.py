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

"""Expert of the task open refrigerator."""

from mem_vla_ros.core.types import Decision
from mem_vla_ros.sim.experts.director import Director
from mem_vla_ros.sim.experts.scene_view import SceneView

_GRIPS = ('top left', 'top right', 'bottom left', 'bottom right')
_MOVES, _GIVE_UP = 0.07, 1.4


class OpenRefrigeratorDirector(Director):
    """Pulls one grip after the other until the door moves."""

    def decide(self, view: SceneView, memory: str, subtask: str) -> Decision:
        """Return the next subtask, the memory, and how the last subtask went."""
        decision = super().decide(view, memory, subtask)
        if subtask.startswith('pull') and decision.subtask.startswith('let go'):
            return Decision(decision.subtask, decision.memory, {'succeeded': False})
        return decision

    def choose(self, view: SceneView, memory: str) -> tuple[str, str]:
        """Return subtask and memory."""
        state = view.state
        if state['opened'] and view.held is None:
            return 'go home', 'I opened the refrigerator.'
        failed = state['grasps'] - (view.held is not None)
        tried = _GRIPS[:min(failed, 3)]
        memory = f"The door did not open by the {' or the '.join(tried)} grip." if tried else ''
        if state['opened']:
            return 'let go of the grip', 'I opened the refrigerator.'
        if view.held and state['angle'] > _MOVES:
            return 'swing the door open', f'The door opens by the {_GRIPS[failed]} grip.'
        gave_up = view.held is not None and state['held_for'] > _GIVE_UP
        away = not view.rests_at(view.place('front of the door'))
        if gave_up or (view.held is None and tried and not self._ready and away):
            self._ready = False
            return 'let go of the grip', memory
        self._ready = True
        return f'pull the {_GRIPS[len(tried)]} grip', memory

    def reset(self) -> None:
        """Forget the episode."""
        super().reset()
        self._ready = True
