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

"""Expert of the task swap mugs."""

from mem_vla_ros.sim.experts.director import deliver, Director
from mem_vla_ros.sim.experts.scene_view import SceneView
from mem_vla_ros.sim.experts.whereabouts import where_is, whereabouts

_COUNT = {0: '', 1: 'One mug has been served.', 2: 'Two mugs have been served.',
          3: 'All three mugs have been served.'}


class SwapMugsDirector(Director):
    """Clears the tray, then brings a mug that has not been there."""

    def choose(self, view: SceneView, memory: str) -> tuple[str, str]:
        """Return subtask and memory."""
        served, waiting = view.state['served'], view.state['next']
        memory = self._remember(view, served)
        table = where_is(view.place('table').tolist())
        if view.held:
            where = table if view.held in served else 'on the tray'
            return self._by_place(view, view.held, where), memory
        if waiting is None:
            return 'go home', memory
        if view.state['occupant'] in served:
            return self._by_place(view, view.state['occupant'], table), memory
        return self._by_place(view, waiting, 'on the tray'), memory

    @staticmethod
    def _remember(view: SceneView, served: list[str]) -> str:
        spots = [whereabouts(view, mug) for mug in served if mug != view.held]
        if not spots:
            return _COUNT[len(served)]
        return f'{_COUNT[len(served)]} I served the mug ' + ' and the one '.join(spots) + '.'

    @staticmethod
    def _by_place(view: SceneView, mug: str, where: str) -> str:
        """Return the subtask; equal mugs are told apart by where they stand."""
        if view.carries(mug):
            return deliver(view, mug, where).replace(mug, 'mug')
        return f'pick up the mug {whereabouts(view, mug)}'
