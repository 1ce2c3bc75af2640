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

"""Thing: a free body that the gripper can pick up."""

from dataclasses import dataclass

from mem_vla_ros.sim.scene.arm import HAND_BODY
from mem_vla_ros.sim.scene.part import Part, THING


@dataclass(frozen=True)
class Thing:
    """
    A free body with a place to grasp it.

    :param name: As in subtask texts, such as ``red cube``.
    :param geoms: Its shapes in MuJoCo's XML, in the frame of the body.
    :param half_width: Where the fingers stop [m].
    :param grasp: Point between the finger tips when held, in the frame of the body.
    :param symmetry: Turns about the vertical after which it can be grasped alike: 0 is any
        angle (round), 4 a square, 2 a bar whose long side is the x axis.
    :param rest_height: Height of the body frame above what it stands on.
    """

    name: str
    geoms: str
    half_width: float
    grasp: tuple[float, float, float] = (0.0, 0.0, 0.0)
    symmetry: int = 0
    rest_height: float = 0.02

    @property
    def body(self) -> str:
        """Return the name of its body."""
        return self.name

    @property
    def hold(self) -> str:
        """Return the name of the constraint with which the gripper holds it."""
        return f'hold {self.name}'

    def part(self, holders: tuple[str, ...] = ()) -> Part:
        """
        Return its XML.

        :param holders: Bodies besides the gripper that can hold it, such as a person's hand.
        """
        welds = [f'<weld name="{self.hold}" body1="{HAND_BODY}" body2="{self.name}"'
                 ' active="false"/>']
        welds += [f'<weld name="{holder} holds {self.name}" body1="{holder}"'
                  f' body2="{self.name}" active="false"/>' for holder in holders]
        return Part(
            bodies=f'<body name="{self.name}" pos="0 0 -1"><freejoint/>{self.geoms}</body>',
            equalities=''.join(welds))


def box(
    name: str, half: tuple[float, float, float], rgba: str, mass: float = 0.05,
    grip: float | None = None,
) -> Thing:
    """
    Return a box that is grasped across its y side.

    :param grip: Half the width of a ridge on top for the fingers, where the box is too wide.
    """
    x, y, z = half
    geoms = _solid('box', f'{x} {y} {z}', rgba, mass)
    if grip is None:
        return Thing(name, geoms, half_width=y, symmetry=4 if abs(x - y) < 1e-6 else 2,
                     rest_height=z)
    geoms += _ridge(z, grip, rgba)
    return Thing(name, geoms, half_width=grip, grasp=(0.0, 0.0, z + 0.012), symmetry=2,
                 rest_height=z)


def cylinder(
    name: str, radius: float, half_height: float, rgba: str, mass: float = 0.05,
    grip: float | None = None,
) -> Thing:
    """
    Return an upright cylinder that is grasped near its top.

    :param grip: Half the width of a ridge on top for the fingers, where it is too wide.
    """
    geoms = _solid('cylinder', f'{radius} {half_height}', rgba, mass)
    if grip is None:
        return Thing(
            name, geoms, half_width=radius, grasp=(0.0, 0.0, max(0.0, half_height - 0.02)),
            rest_height=half_height)
    geoms += _ridge(half_height, grip, rgba)
    return Thing(name, geoms, half_width=grip, grasp=(0.0, 0.0, half_height + 0.012), symmetry=2,
                 rest_height=half_height)


def _solid(shape: str, size: str, rgba: str, mass: float) -> str:
    return (f'<geom type="{shape}" size="{size}" rgba="{rgba} 1" mass="{mass}" {THING}'
            ' friction="1.2 .01 .001"/>')


def _ridge(top: float, half_width: float, rgba: str) -> str:
    return (f'<geom type="box" size="0.02 {half_width} 0.012" pos="0 0 {top + .012}"'
            f' rgba="{rgba} 1" mass="0.005"/>')
