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

"""Furniture that does not move: mats that can change colour, containers and blocks."""

from mem_vla_ros.sim.scene.part import Part, SOLID


def mat(name: str, x: float, y: float, half: float = 0.06, rgba: str = '.8 .2 .2') -> Part:
    """Return a flat square on the table, named as a geom so that it can change colour."""
    return Part(f'<geom name="{name}" type="box" size="{half} {half} 0.001" '
                f'pos="{x} {y} 0.001" rgba="{rgba} 1"/>')


def container(
    name: str, x: float, y: float, half: tuple[float, float], height: float, rgba: str,
    brush: bool = False,
) -> Part:
    """
    Return an open box.

    :param half: Half the inner size along x and y.
    :param brush: Bristles across the top that let things pass but hide what is inside.
    """
    a, b = half
    wall = f'type="box" rgba="{rgba} 1" {SOLID}'
    middle = height / 2
    bristles = (f'<geom type="box" size="{a} {b} .003" pos="0 0 {height - .004}" '
                'rgba=".15 .15 .17 1"/>')
    return Part(f'''
<body name="{name}" pos="{x} {y} 0">
 <geom {wall} size="{a + .005} {b + .005} .003" pos="0 0 .003"/>
 <geom {wall} size=".004 {b + .008} {middle}" pos="{a + .004} 0 {middle}"/>
 <geom {wall} size=".004 {b + .008} {middle}" pos="{-a - .004} 0 {middle}"/>
 <geom {wall} size="{a} .004 {middle}" pos="0 {b + .004} {middle}"/>
 <geom {wall} size="{a} .004 {middle}" pos="0 {-b - .004} {middle}"/>
 {bristles if brush else ''}
</body>''')


def block(
    name: str, position: tuple[float, float, float], half: tuple[float, float, float], rgba: str,
) -> Part:
    """Return a solid box, such as a stand or a column."""
    x, y, z = position
    return Part(f'<body name="{name}" pos="{x} {y} {z}"><geom name="{name}" type="box" '
                f'size="{half[0]} {half[1]} {half[2]}" rgba="{rgba} 1" {SOLID}/></body>')


def drum(
    name: str, position: tuple[float, float, float], radius: float, half_height: float,
    rgba: str, inside: str,
) -> Part:
    """Return a solid cylinder whose top shows what is inside."""
    x, y, z = position
    return Part(f'''
<body name="{name}" pos="{x} {y} {z}">
 <geom type="cylinder" size="{radius} {half_height}" rgba="{rgba} 1" {SOLID}/>
 <geom type="cylinder" size="{radius * .85} .001" pos="0 0 {half_height + .001}"
  rgba="{inside} 1"/>
</body>''')
