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

"""Expert of the task find object."""

from mem_vla_ros.sim.experts.director import deliver, Director
from mem_vla_ros.sim.experts.scene_view import SceneView


class FindObjectDirector(Director):
    """Watches, waits for the cue, opens the drawer that it remembers."""

    def choose(self, view: SceneView, memory: str) -> tuple[str, str]:
        """Return subtask and memory."""
        state, place = view.state, view.state['drawer']
        drawer = f'{place} drawer'
        hidden = f'I saw a hand put the red cube into the {drawer}.'
        if not state['go']:
            return 'wait for the green light', hidden if state['hidden'] else ''
        if state['delivered']:
            return 'go home', 'I put the red cube on the mat.'
        if view.held == 'red cube':
            return (deliver(view, 'red cube', 'on the mat'),
                    f'I opened the {drawer} and picked up the red cube.')
        if view.is_open(drawer):
            return 'pick up the red cube', f'I opened the {drawer}, where the red cube is.'
        return f'open the {drawer}', hidden
