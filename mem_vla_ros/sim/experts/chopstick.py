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

"""Expert of the task chopstick."""

from mem_vla_ros.sim.experts.director import Director
from mem_vla_ros.sim.experts.scene_view import SceneView

_LEVELS = ('high', 'middle', 'low')
_ABOVE_BOX = 0.2


class ChopstickDirector(Director):
    """Tries deeper after every miss."""

    def choose(self, view: SceneView, memory: str) -> tuple[str, str]:
        """Return subtask and memory."""
        if view.state['binned']:
            return 'go home', 'I put the chopstick in the bin.'
        if view.carries('chopstick') or (view.state['picked'] and view.held is None):
            return 'put the chopstick in the bin', 'I picked up the chopstick.'
        tried = _LEVELS[:min(self.seen_misses(view), 2)]
        memory = f"I grasped at the {' and the '.join(tried)} level and missed." if tried else ''
        return f'pick up the chopstick at the {_LEVELS[len(tried)]} level', memory

    def seen_misses(self, view: SceneView) -> int:
        """Count a miss when the hand is out of the box again."""
        return view.misses if view.tool[2] > _ABOVE_BOX else self._misses
