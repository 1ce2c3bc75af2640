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

"""Expert of the task clean kitchen."""

from mem_vla_ros.sim.experts.director import deliver, Director
from mem_vla_ros.sim.experts.scene_view import SceneView

_DRAWER = 'top right drawer'
_COUNTER = ('left part of the counter', 'right part of the counter')


class CleanKitchenDirector(Director):
    """Sponge work first, then plate and mustard."""

    def choose(self, view: SceneView, memory: str) -> tuple[str, str]:
        """Return subtask and memory."""
        done = view.state['done']
        chosen = self._sponge_work(view, done) or self._tidy(view, done)
        return chosen or 'go home', self._remember(done)

    @staticmethod
    def _remember(done: dict[str, bool]) -> str:
        """Return only what still matters: soap is forgotten when the plate is clean."""
        sides = done['front washed'] + done['back washed']
        wiped = [part for part in _COUNTER if done[f'{part} wiped']]
        facts = []
        if done['soap'] and sides < 2:
            facts.append('put soap on the sponge')
        if sides:
            facts.append(f"washed {'both sides' if sides == 2 else 'one side'} of the plate")
        if wiped:
            facts.append('wiped the whole counter' if len(wiped) == 2 else f'wiped the {wiped[0]}')
        if done['plate on the rack']:
            facts.append('put the plate on the rack')
        if done['mustard away']:
            facts.append('stored the mustard')
        return f"I {', '.join(facts)}." if facts else ''

    def _sponge_work(self, view: SceneView, done: dict[str, bool]) -> str | None:
        washed = done['front washed'] and done['back washed']
        if washed and done[f'{_COUNTER[0]} wiped'] and done[f'{_COUNTER[1]} wiped']:
            return 'put the sponge on the tray' if view.held == 'sponge' else None
        must_flip = not washed and done[f"{view.state['side_up']} washed"]
        if view.held != 'sponge':
            return 'flip the plate' if must_flip else 'pick up the sponge'
        if not view.carries('sponge'):
            return 'pick up the sponge'
        if not done['soap']:
            return 'add soap to the sponge'
        if must_flip:
            return 'put the sponge on the tray'
        if not washed:
            return 'scrub the plate'
        part = next(part for part in _COUNTER if not done[f'{part} wiped'])
        return f'wipe the {part}'

    def _tidy(self, view: SceneView, done: dict[str, bool]) -> str | None:
        if not done['sponge back']:
            return deliver(view, 'sponge', 'on the tray')
        if not done['plate on the rack']:
            return deliver(view, 'plate', 'on the rack')
        if done['mustard away']:
            return None
        if view.state['stored']:
            return f'close the {_DRAWER}'
        if view.held == 'mustard' or view.is_open(_DRAWER):
            return deliver(view, 'mustard', f'in the {_DRAWER}')
        return f'open the {_DRAWER}'
