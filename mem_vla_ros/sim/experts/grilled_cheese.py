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

"""Expert of the task grilled cheese."""

from mem_vla_ros.sim.experts.director import deliver, Director
from mem_vla_ros.sim.experts.scene_view import SceneView

#: How long the expert cooks a side [simulated s].
COOKING_TIME = 4.2


class GrilledCheeseDirector(Director):
    """Assembles, waits, flips, waits, plates."""

    def choose(self, view: SceneView, memory: str) -> tuple[str, str]:
        """Return subtask and memory."""
        state = view.state
        if not state['assembled']:
            return deliver(view, 'slice of bread', 'on the sandwich'), ''
        if state['plated']:
            return 'go home', 'I grilled both sides and put the sandwich on the plate.'
        if not state['flipped'] and state['cooked']['second'] < 0.5:
            memory = 'I closed the sandwich; its first side is grilling.'
            if view.held is None and state['cooked']['first'] < COOKING_TIME:
                return 'wait until the sandwich is grilled', memory
            return 'flip the sandwich', memory
        memory = 'I flipped the sandwich; its second side is grilling.'
        if view.held is None and state['cooked']['second'] < COOKING_TIME:
            return 'wait until the sandwich is grilled', memory
        return deliver(view, 'sandwich', 'on the plate'), memory
