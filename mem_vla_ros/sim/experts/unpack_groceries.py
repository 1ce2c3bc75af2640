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

"""Expert of the task unpack groceries."""

from mem_vla_ros.sim.experts.director import deliver, Director
from mem_vla_ros.sim.experts.scene_view import SceneView


class UnpackGroceriesDirector(Director):
    """Takes out what is left, then goes home."""

    def choose(self, view: SceneView, memory: str) -> tuple[str, str]:
        """Return subtask and memory."""
        left = [name for name in view.state['left'] if name != view.held]
        if view.held:
            return deliver(view, view.held, 'on the mat'), self._remember(left)
        if left:
            seen = '' if not view.state['unpacked'] else self._remember(left)
            return f'pick up the {left[0]}', seen
        return 'go home', 'I emptied the bag.'

    @staticmethod
    def _remember(left: list[str]) -> str:
        if not left:
            return 'The bag is empty now.'
        return f"I saw the {' and the '.join(left)} left in the bag."
