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

"""Expert of the task scoop coffee."""

from mem_vla_ros.sim.experts.director import deliver, Director
from mem_vla_ros.sim.experts.scene_view import SceneView

_COUNTED = {0: 'I took the lid off the grinder.', 1: 'I took the lid off and added one scoop.',
            2: 'I added both scoops.'}
_OUT_OF_PACKAGE = 0.17


class ScoopCoffeeDirector(Director):
    """Lid off, two scoops, lid on."""

    def choose(self, view: SceneView, memory: str) -> tuple[str, str]:
        """Return subtask and memory."""
        state, scoops = view.state, view.state['scoops']
        if scoops == 0 and not state['lid_off']:
            return 'pick up the lid', ''
        # A scoop that is still in the package spills on its rim.
        out, pouring = view.tool[2] > _OUT_OF_PACKAGE, self.running.startswith('pour')
        if view.held == 'scoop' and pouring and not state['level']:
            # Counted when the pour is over: subtask and memory change together.
            return 'pour the beans into the grinder', memory
        memory = _COUNTED.get(scoops, f'I added {scoops} scoops, which is too many.')
        if view.held == 'scoop' and state['full'] and (out or pouring):
            return 'pour the beans into the grinder', memory
        if scoops < 2:
            return self._scoop(view), memory
        if view.held == 'scoop':
            return 'put the scoop on the coaster', memory
        if state['lid_off']:
            return deliver(view, 'lid', 'on the grinder'), memory
        return 'go home', 'I added both scoops and closed the lid.'

    def _scoop(self, view: SceneView) -> str:
        if view.held == 'lid':
            return deliver(view, 'lid', 'on the table')
        return 'scoop coffee beans' if view.carries('scoop') else 'pick up the scoop'
