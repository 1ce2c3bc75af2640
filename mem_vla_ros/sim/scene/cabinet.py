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

"""Cabinet with four drawers, two by two."""

import numpy as np

from mem_vla_ros.core.types import FloatArray
from mem_vla_ros.sim.scene.handle import Handle
from mem_vla_ros.sim.scene.part import Part, SOLID
from mem_vla_ros.sim.simulation import Simulation

DRAWERS = ('top left', 'top right', 'bottom left', 'bottom right')
TRAVEL = 0.14
HANDLE_OFFSET = (-0.04, 0.0, 0.0)

_FRONT, _WIDTH, _HEIGHT, _DEPTH, _LOWEST = 0.46, 0.20, 0.11, 0.16, 0.03
_CATCH_FORCE = 4.0
_CATCH_REACH = 0.02
_COLOURS = ('.75 .45 .2', '.55 .35 .2', '.6 .5 .3', '.7 .55 .35')


def drawer_name(place: str) -> str:
    """Return the body name of the drawer at a place such as ``top left``."""
    return f'{place} drawer'


def closed_position(place: str) -> FloatArray:
    """Return where the middle of the closed drawer's front is."""
    side = 0.11 if 'left' in place else -0.11
    row = 1 if 'top' in place else 0
    return np.array([_FRONT, side, _LOWEST + _HEIGHT / 2 + row * (_HEIGHT + 0.015)])


def drawer_handles() -> list[Handle]:
    """Return the four handles."""
    return [
        Handle(drawer_name(place), drawer_name(place), HANDLE_OFFSET, joint=f'{place} slide')
        for place in DRAWERS]


def cabinet(holders: tuple[str, ...] = ()) -> Part:
    """
    Return the cabinet.

    :param holders: Bodies besides the gripper that can hold its handles.
    """
    drawers = ''.join(
        _drawer(place, colour) for place, colour in zip(DRAWERS, _COLOURS, strict=True))
    equalities = ''.join(handle.equality(holders) for handle in drawer_handles())
    return Part(_shell() + drawers, equalities)


def latch_drawers(simulation: Simulation) -> None:
    """Let the magnetic catches pull nearly closed drawers shut."""
    for place in DRAWERS:
        joint = f'{place} slide'
        simulation.push(joint, -_CATCH_FORCE if simulation.joint(joint) < _CATCH_REACH else 0.0)


def _drawer(place: str, colour: str) -> str:
    x, y, z = closed_position(place)
    w, h, d = _WIDTH / 2, _HEIGHT / 2 - 0.006, _DEPTH / 2
    wood = f'rgba=".85 .8 .7 1" {SOLID}'
    side = f'type="box" size="{d} 0.004 {h * .6}" mass=".05" {wood}'
    return f'''
<body name="{drawer_name(place)}" pos="{x} {y} {z}">
 <joint name="{place} slide" type="slide" axis="-1 0 0" range="0 {TRAVEL}" damping="8"
  frictionloss="0.8" solreflimit="0.01 1"/>
 <geom type="box" size="0.008 {w + .007} {h + .012}" rgba="{colour} 1" mass=".2" {SOLID}/>
 <geom type="box" size="{d} {w * .92} 0.004" pos="{d} 0 {-h + .004}" mass=".1" {wood}
  friction="1.2 .01 .001"/>
 <geom {side} pos="{d} {w * .92} {-h * .35}"/>
 <geom {side} pos="{d} {-w * .92} {-h * .35}"/>
 <geom type="box" size="0.006 0.008 0.03" pos="-0.04 0 0" rgba=".2 .2 .2 1" mass=".02"/>
 <geom type="box" size="0.016 0.005 0.005" pos="-0.022 0 0" rgba=".2 .2 .2 1" mass=".02"/>
</body>'''


def _shell() -> str:
    height = 2 * _HEIGHT + 0.04
    middle, half_depth, half_width = _FRONT + _DEPTH / 2 + 0.02, _DEPTH / 2 + 0.02, _WIDTH + 0.03
    panel = f'type="box" rgba=".5 .3 .15 1" {SOLID}'
    return f'''
<geom {panel} size="{half_depth} .006 {height / 2}" pos="{middle} {half_width} {height / 2}"/>
<geom {panel} size="{half_depth} .006 {height / 2}" pos="{middle} {-half_width} {height / 2}"/>
<geom {panel} size="{_DEPTH / 2} .006 {height / 2}" pos="{middle} 0 {height / 2}"/>
<geom {panel} size="{half_depth} {half_width + .006} .006" pos="{middle} 0 {height + .006}"/>
<geom {panel} size=".006 {half_width} {height / 2}" pos="{_FRONT + _DEPTH + .04} 0 {height / 2}"/>
<geom {panel} size=".006 {half_width} .005" pos="{_FRONT + .016} 0 {_LOWEST + _HEIGHT + .012}"/>
'''
