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

"""Expert of the task clean up counter."""

from mem_vla_ros.sim.experts.director import deliver, Director
from mem_vla_ros.sim.experts.scene_view import SceneView


class CleanUpCounterDirector(Director):
    """Opens, fills and closes the drawer."""

    def choose(self, view: SceneView, memory: str) -> tuple[str, str]:
        """Return subtask and memory."""
        left, drawer = view.state['left'], view.state['drawer']
        if left:
            if view.held in left:
                return deliver(view, view.held, f'in the {drawer}'), ''
            if not view.is_open(drawer):
                return f'open the {drawer}', ''
            return f'pick up the {left[0]}', ''
        if not view.state['closed']:
            return f'close the {drawer}', ''
        return 'go home', 'Everything is in the drawer.'
