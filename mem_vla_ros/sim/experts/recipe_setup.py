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

"""Expert of the task recipe set-up."""

from mem_vla_ros.sim.experts.director import deliver, Director
from mem_vla_ros.sim.experts.scene_view import SceneView


class RecipeSetupDirector(Director):
    """Empties one drawer after the other, closes it, and looks at the whole from home."""

    def choose(self, view: SceneView, memory: str) -> tuple[str, str]:
        """Return subtask and memory."""
        left, still_open = view.state['left'], view.state['open']
        memory = self._remember(view)
        if view.held in left:
            return deliver(view, view.held, 'in the crate'), memory
        for drawer in still_open:
            inside = [name for name, home in left.items() if home == drawer]
            if not inside:
                return f'close the {drawer}', memory
            if view.is_open(drawer):
                return f'pick up the {inside[0]}', memory
        if left:
            if self.running.startswith(('close', 'go home')) and not view.is_home():
                return 'go home', memory
            return f'open the {next(iter(left.values()))}', memory
        return 'go home', memory

    @staticmethod
    def _remember(view: SceneView) -> str:
        """Return which drawers are done, in the order of the goal, and what is under way."""
        left, fetched, still_open = (view.state[name] for name in ('left', 'fetched', 'open'))
        texts = []
        done = [drawer for drawer in dict.fromkeys(fetched.values())
                if drawer not in still_open and drawer not in left.values()]
        if done:
            texts.append(f"I emptied the {', the '.join(done)}.")
        for drawer in still_open:
            taken = [name for name, home in fetched.items() if home == drawer]
            texts.append(f'The {drawer} is open' + (
                f", I took the {' and the '.join(taken)}." if taken else '.'))
        return ' '.join(texts)
