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

"""A window pane to wipe, in four parts, and a coverage that nobody can see."""

import numpy as np

from mem_vla_ros.sim.scene.part import Part, SOLID

PARTS = ('top left', 'top right', 'bottom left', 'bottom right')
PANE_X = 0.47
_HALF_WIDTH, _LOW, _HIGH = 0.16, 0.10, 0.36
_MIDDLE = (_LOW + _HIGH) / 2
_CELL = 0.04

WINDOW_PART = Part(f'''
<geom type="box" size=".006 {_HALF_WIDTH} {(_HIGH - _LOW) / 2}" pos="{PANE_X + .006} 0 {_MIDDLE}"
 rgba=".62 .78 .88 1" {SOLID}/>
<geom type="box" size=".01 {_HALF_WIDTH + .02} .012" pos="{PANE_X + .01} 0 {_HIGH + .01}"
 rgba=".3 .3 .32 1"/>
<geom type="box" size=".01 {_HALF_WIDTH + .02} .05" pos="{PANE_X + .01} 0 .05" rgba=".3 .3 .32 1"/>
<geom type="box" size=".01 .012 {(_HIGH + .02) / 2}" pos="{PANE_X + .01} {_HALF_WIDTH + .012}
 {(_HIGH + .02) / 2}" rgba=".3 .3 .32 1"/>
<geom type="box" size=".01 .012 {(_HIGH + .02) / 2}" pos="{PANE_X + .01} {-_HALF_WIDTH - .012}
 {(_HIGH + .02) / 2}" rgba=".3 .3 .32 1"/>
''')


def part_middle(part: str) -> list[float]:
    """Return the middle of a part of the pane, such as ``top left``."""
    side = _HALF_WIDTH / 2 if 'left' in part else -_HALF_WIDTH / 2
    quarter = (_HIGH - _LOW) / 4
    return [PANE_X, side, _MIDDLE + quarter if 'top' in part else _MIDDLE - quarter]


class Coverage:
    """Which spots of the pane have been wiped."""

    def __init__(self) -> None:
        columns = np.arange(-_HALF_WIDTH + _CELL / 2, _HALF_WIDTH, _CELL)
        rows = np.arange(_LOW + _CELL / 2, _HIGH, _CELL)
        self._cells = np.array([(y, z) for y in columns for z in rows])
        self._wiped = np.zeros(len(self._cells), dtype=bool)

    def wipe(self, point: np.ndarray, radius: float = 0.07) -> None:
        """Wipe around a point of the pane."""
        self._wiped |= np.hypot(*(self._cells - point[1:]).T) < radius

    def share(self, part: str) -> float:
        """Return how much of a part has been wiped."""
        middle = np.array(part_middle(part)[1:])
        quarter = (_HALF_WIDTH / 2, (_HIGH - _LOW) / 4)
        cells = (np.abs(self._cells - middle) <= quarter).all(axis=1)
        return float(self._wiped[cells].mean())
