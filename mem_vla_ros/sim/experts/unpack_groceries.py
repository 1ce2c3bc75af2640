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

_SEEN = {0: 'The bag is empty now.', 1: 'I saw one more package in the bag.',
         2: 'I saw two more packages in the bag.'}


class UnpackGroceriesDirector(Director):
    """
    Takes out what is left, then goes home.

    Says nothing of colours: before the hand is over the bag no camera has seen them.
    """

    def choose(self, view: SceneView, memory: str) -> tuple[str, str]:
        """Return subtask and memory."""
        left = [name for name in view.state['left'] if name != view.held]
        if view.held and view.carries(view.held):
            return 'put the package on the mat', _SEEN[len(left)]
        if left or view.held:
            seen = _SEEN[len(left)] if view.held or view.state['unpacked'] else ''
            return 'pick up the next package', seen
        return 'go home', 'I emptied the bag.'
