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

"""Furniture that does not move: mats that can change colour, bins and stands."""

from mem_vla_ros.sim.scene.part import Part


def mat(name: str, x: float, y: float, half: float = 0.06, rgba: str = '.8 .2 .2') -> Part:
    """Return a flat square on the table, named as a geom so that it can change colour."""
    return Part(f'<geom name="{name}" type="box" size="{half} {half} 0.001" '
                f'pos="{x} {y} 0.001" rgba="{rgba} 1"/>')
