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

from mem_vla_ros.sim.experts.director import Director
from mem_vla_ros.sim.experts.scene_view import SceneView

_LEFT = {0: 'The bag is empty now.', 1: 'One package is in the bag.',
         2: 'Two packages are in the bag.', 3: 'Three packages are in the bag.'}


class UnpackGroceriesDirector(Director):
    """
    Looks into the bag until it remembers how many are in it, takes them out, then goes home.

    Says nothing of colours: what counts is how many are left.
    """

    def choose(self, view: SceneView, memory: str) -> tuple[str, str]:
        """Return subtask and memory."""
        if not memory and not view.held and not view.state['unpacked']:
            seen = view.rests_at(view.place('over the bag'))
            return 'look into the bag', _LEFT[len(view.state['left'])] if seen else ''
        carried = view.held if view.held and view.carries(view.held) else None
        left = [name for name in view.state['left'] if name != carried]
        if carried:
            return 'put the package on the mat', _LEFT[len(left)]
        if left:
            return 'pick up the next package', _LEFT[len(left)]
        return 'go home', 'I emptied the bag.'
