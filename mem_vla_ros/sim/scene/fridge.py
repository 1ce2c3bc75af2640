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

"""A refrigerator whose door shows neither its hinge nor its latch."""

from mem_vla_ros.sim.scene.handle import Handle
from mem_vla_ros.sim.scene.part import Part, SOLID

GRIPS = ('top left', 'top right', 'bottom left', 'bottom right')
HINGES = ('left', 'right')
FRONT, MIDDLE = 0.46, 0.22

_HALF_WIDTH, _HALF_HEIGHT = 0.13, 0.15
_GRIP_SIDE, _GRIP_HEIGHT, _GRIP_DEPTH = 0.10, 0.08, -0.035


def hinge_for(grip: str) -> str:
    """Return the side of the hinge if the door opens by this grip."""
    return 'right' if 'left' in grip else 'left'


def door(hinge: str) -> str:
    """Return the name of the door with its hinge on a side."""
    return f'door hinged {hinge}'


def hinge_position(hinge: str) -> list[float]:
    """Return where the hinge is."""
    return [FRONT, _HALF_WIDTH if hinge == 'left' else -_HALF_WIDTH, MIDDLE]


def grip_handles() -> list[Handle]:
    """Return four grips for each of the two doors, of which an episode shows one."""
    return [Handle(f'{door(hinge)}, {grip} grip', door(hinge), _grip_offset(hinge, grip),
                   joint=f'{hinge} hinge') for hinge in HINGES for grip in GRIPS]


def _grip_offset(hinge: str, grip: str) -> tuple[float, float, float]:
    side = _GRIP_SIDE if 'left' in grip else -_GRIP_SIDE
    height = _GRIP_HEIGHT if 'top' in grip else -_GRIP_HEIGHT
    return (_GRIP_DEPTH, side - hinge_position(hinge)[1], height)


def fridge() -> Part:
    """Return the shell and both doors, locked."""
    locks = ''.join(f'<joint name="{hinge} lock" joint1="{hinge} hinge" active="true"'
                    ' solref=".01 1" solimp=".99 .999 .001"/>' for hinge in HINGES)
    equalities = ''.join(handle.equality() for handle in grip_handles())
    return Part(_SHELL + ''.join(_door(hinge) for hinge in HINGES), equalities + locks)


def _door(hinge: str) -> str:
    y = hinge_position(hinge)[1]
    turn = '0 1.6' if hinge == 'right' else '-1.6 0'
    grips = ''.join(
        '<geom type="box" size=".008 .008 .025" rgba=".3 .3 .32 1" mass=".01" '
        'pos="{} {} {}"/>'.format(*_grip_offset(hinge, grip)) for grip in GRIPS)
    return f'''
<body name="{door(hinge)}" pos="{FRONT} {y} {MIDDLE}">
 <joint name="{hinge} hinge" type="hinge" axis="0 0 1" range="{turn}" damping=".3"
  frictionloss=".05" armature=".08"/>
 <geom type="box" size=".012 {_HALF_WIDTH} {_HALF_HEIGHT}" pos="0 {-y} 0" rgba=".88 .9 .92 1"
  mass=".5" {SOLID}/>
 {grips}
</body>'''


_SHELL = f'''
<geom type="box" size=".09 .006 {_HALF_HEIGHT + .03}" pos="{FRONT + .105} {_HALF_WIDTH + .005}
 {MIDDLE - .02}" rgba=".7 .72 .75 1" {SOLID}/>
<geom type="box" size=".09 .006 {_HALF_HEIGHT + .03}" pos="{FRONT + .105} {-_HALF_WIDTH - .005}
 {MIDDLE - .02}" rgba=".7 .72 .75 1" {SOLID}/>
<geom type="box" size=".09 {_HALF_WIDTH + .01} .006" pos="{FRONT + .105} 0 {MIDDLE + .155}"
 rgba=".7 .72 .75 1" {SOLID}/>
<geom type="box" size=".09 {_HALF_WIDTH + .01} .03" pos="{FRONT + .105} 0 .035"
 rgba=".7 .72 .75 1" {SOLID}/>
<geom type="box" size=".006 {_HALF_WIDTH} {_HALF_HEIGHT}" pos="{FRONT + .19} 0 {MIDDLE}"
 rgba=".95 .95 .8 1"/>
'''
