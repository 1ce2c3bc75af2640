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

"""
Skills: subtask texts and the plans behind them.

The same few skills make up all tasks, so one low-level policy can learn them together.
"""

from collections.abc import Callable
import re

import numpy as np

from mem_vla_ros.core.errors import PolicyError
from mem_vla_ros.core.types import FloatArray
from mem_vla_ros.sim.arm_limits import HOME
from mem_vla_ros.sim.experts.scene_view import from_above, from_front, SceneView, tilted
from mem_vla_ros.sim.experts.waypoint import CLOSED, OPEN, Waypoint
from mem_vla_ros.sim.experts.whereabouts import thing_at

Plan = list[Waypoint]
Skill = Callable[..., Plan]

_SKILLS: list[tuple[re.Pattern[str], Skill]] = []
_LIFT = 0.12
_UP = np.array([0.0, 0.0, 1.0])


def skill(pattern: str) -> Callable[[Skill], Skill]:
    """Register a skill; the groups of the pattern become its arguments."""
    def register(function: Skill) -> Skill:
        _SKILLS.append((re.compile(pattern), function))
        return function
    return register


def plan_subtask(subtask: str, view: SceneView) -> Plan:
    """
    Return the waypoints of a subtask, planned from the present state.

    :raises PolicyError: if no skill knows the text.
    """
    for pattern, function in _SKILLS:
        match = pattern.fullmatch(subtask)
        if match:
            return function(view, **match.groupdict())
    raise PolicyError(f'No skill for subtask {subtask!r}.')


@skill('wait for .*')
def wait(view: SceneView) -> Plan:
    """Stay."""
    return []


@skill('wait until .*')
def wait_at_home(view: SceneView) -> Plan:
    """Wait at home, where nothing is in the way."""
    return [Waypoint(HOME[:6], OPEN)]


@skill('go home')
def go_home(view: SceneView) -> Plan:
    """Go back to where every episode starts."""
    return [Waypoint(HOME[:6], OPEN, dwell=0.2)]


@skill('open the (?P<drawer>.+ drawer)')
def open_drawer(view: SceneView, drawer: str) -> Plan:
    """Pull the drawer by its handle and let go."""
    handle = view.handle(drawer)
    at = np.array(handle['at'])
    pulled = at - [0.135 - handle['open'], 0.0, 0.0]
    return [
        Waypoint(from_front(at - [0.08, 0.0, 0.0]), OPEN),
        Waypoint(from_front(at), OPEN, dwell=0.2),
        Waypoint(None, CLOSED, dwell=0.3),
        Waypoint(from_front(pulled), CLOSED, dwell=0.3, speed=1.2),
        Waypoint(None, OPEN, dwell=0.1),
        Waypoint(from_front(pulled - [0.07, 0.0, 0.0]), OPEN),
    ]


@skill('close the (?P<drawer>.+ drawer)')
def close_drawer(view: SceneView, drawer: str) -> Plan:
    """Push the drawer shut by its handle and let go."""
    handle = view.handle(drawer)
    at = np.array(handle['at'])
    pushed = at + [handle['open'] + 0.002, 0.0, 0.0]
    return [
        Waypoint(from_front(at - [0.08, 0.0, 0.0]), OPEN),
        Waypoint(from_front(at), OPEN, dwell=0.2),
        Waypoint(None, CLOSED, dwell=0.3),
        Waypoint(from_front(pushed), CLOSED, dwell=0.3, speed=1.2),
        Waypoint(None, OPEN, dwell=0.1),
        Waypoint(from_front(pushed - [0.08, 0.0, 0.0]), OPEN),
    ]


@skill('pick up the mug (?P<where>at the .+|under the machine)')
def pick_up_mug(view: SceneView, where: str) -> Plan:
    """Grasp the one of several equal mugs that stands there."""
    mug = thing_at(view, where)
    if mug is None:
        raise PolicyError(f'No mug {where}.')
    return pick_up(view, mug)


@skill('look into the bag')
def look_into_bag(view: SceneView) -> Plan:
    """Hold the wrist camera over the bag."""
    return [Waypoint(from_above(view.place('over the bag')), OPEN, dwell=0.2)]


@skill('pick up the next package')
def pick_up_next_package(view: SceneView) -> Plan:
    """Grasp the one in the hand, or any that is left in the bag."""
    names = [view.held] if view.held else view.state['left']
    if not names:
        raise PolicyError('No package is left in the bag.')
    return pick_up(view, names[0])


@skill('pick up the (?P<name>.+) at the (?P<level>.+ level)')
def pick_up_at_level(view: SceneView, name: str, level: str) -> Plan:
    """Grasp where a thing may be, without seeing it."""
    return _pick(view, view.place(level), view.grasp_heading(name))


@skill('pick up the (?P<name>.+)')
def pick_up(view: SceneView, name: str) -> Plan:
    """Grasp a thing from above and lift it."""
    return _pick(view, np.array(view.thing(name)['at']), view.grasp_heading(name))


def _pick(view: SceneView, at: FloatArray, heading: float) -> Plan:
    return [
        Waypoint(from_above(view.above(at), heading), OPEN),
        Waypoint(from_above(at, heading), OPEN, dwell=0.2),
        Waypoint(None, CLOSED, dwell=0.3),
        Waypoint(from_above(view.above(at, _LIFT), heading), CLOSED),
    ]


@skill('put the (?P<name>.+) (on|in|at) the (?P<place>.+)')
def put(view: SceneView, name: str, place: str) -> Plan:
    """Set a held thing down, or let it drop into a container, and rise."""
    if view.held is None:
        # Somebody else has let go of it: what is left is to rise.
        return [Waypoint(None, OPEN, dwell=0.2), Waypoint(from_above(view.above(view.tool)), OPEN)]
    at = view.place(place) + (view.thing(view.held)['bottom'] + 0.006) * _UP
    above = from_above(view.above(at))
    return [
        Waypoint(above, CLOSED),
        Waypoint(from_above(at), CLOSED, dwell=0.2),
        Waypoint(None, OPEN, dwell=0.2),
        Waypoint(above, OPEN),
    ]


@skill('scoop coffee beans')
def scoop_beans(view: SceneView) -> Plan:
    """Dip the held scoop into the package."""
    package = view.place('package')
    above = from_above(view.above(package))
    return [
        Waypoint(above, CLOSED),
        Waypoint(from_above(package + 0.06 * _UP), CLOSED, dwell=0.5, speed=1.0),
        Waypoint(above, CLOSED, dwell=0.2, speed=1.0),
    ]


@skill('pour the beans into the grinder')
def pour_beans(view: SceneView) -> Plan:
    """Tilt the held scoop over the grinder and level it again."""
    grinder = view.place('grinder')
    inwards = grinder * [1.0, 1.0, 0.0] * (-0.04 / np.hypot(grinder[0], grinder[1]))
    at = grinder + inwards + 0.11 * _UP
    return [
        Waypoint(from_above(at), CLOSED, dwell=0.0, speed=2.0),
        Waypoint(tilted(at, 0.9), CLOSED, dwell=0.2, speed=2.0),
        Waypoint(from_above(at), CLOSED, dwell=0.2, speed=2.0),
    ]


@skill('spray the window')
def spray_window(view: SceneView) -> Plan:
    """Hold the spray bottle in front of the pane."""
    at = view.place('window') - [0.12, 0.0, -0.03]
    return [Waypoint(from_above(at), CLOSED, dwell=0.6)]


@skill('wipe the (?P<part>.+ of the window)')
def wipe_window(view: SceneView, part: str) -> Plan:
    """Press the towel on a part of the pane, stroke down, and come back to the middle."""
    middle, hover = view.place(part), view.place('front of the window')
    contact = middle - [0.025, 0.0, 0.0]
    reach = 0.04 * _UP
    return [
        Waypoint(from_front(hover), CLOSED, dwell=0.0),
        Waypoint(from_front(contact + reach), CLOSED, dwell=0.0),
        Waypoint(from_front(contact - reach), CLOSED, dwell=0.1),
        Waypoint(from_front(hover), CLOSED, dwell=0.4),
    ]


@skill('flip the (?P<name>.+)')
def flip(view: SceneView, name: str) -> Plan:
    """Grasp a flat thing from the front, lift it, turn it over and set it down."""
    at = np.array(view.thing(name)['at'])
    lifted, low = from_front(at + 0.1 * _UP), at + 0.008 * _UP
    turned, lowered = lifted.copy(), from_front(low)
    turn = 3.05 if lifted[5] <= 0 else -3.05
    turned[5] += turn
    lowered[5] += turn
    return [
        Waypoint(from_front(at - [0.05, 0.0, -0.05]), OPEN),
        Waypoint(from_front(at), OPEN, dwell=0.2),
        Waypoint(None, CLOSED, dwell=0.3),
        Waypoint(lifted, CLOSED),
        Waypoint(turned, CLOSED, speed=2.2),
        Waypoint(lowered, CLOSED, dwell=0.2),
        Waypoint(None, OPEN, dwell=0.2),
        Waypoint(turned - [0.0, 0.2, 0.0, 0.0, 0.0, 0.0], OPEN),
    ]


@skill('pull the (?P<grip>.+ grip)')
def pull_grip(view: SceneView, grip: str) -> Plan:
    """Hold a grip of the refrigerator and feel whether it gives way."""
    at = view.place(grip)
    return [
        Waypoint(from_front(at - [0.08, 0.0, 0.0]), OPEN),
        Waypoint(from_front(at), OPEN, dwell=0.2),
        Waypoint(None, CLOSED, dwell=0.3),
        Waypoint(from_front(at - [0.04, 0.0, 0.0]), CLOSED, dwell=0.5, speed=0.8),
    ]


@skill('swing the door open')
def swing_door(view: SceneView) -> Plan:
    """Lead the held grip around the hinge."""
    hinge, tool = view.place('hinge'), view.tool
    arm = tool - hinge
    sense = -1.0 if hinge[1] > 0 else 1.0
    plan = []
    for angle in np.linspace(0.0, 0.95, 7)[1:]:
        c, s = np.cos(sense * angle), np.sin(sense * angle)
        point = hinge + [c * arm[0] - s * arm[1], s * arm[0] + c * arm[1], arm[2]]
        plan.append(Waypoint(from_front(point), CLOSED, dwell=0.0, speed=1.2))
    return [*plan, Waypoint(None, CLOSED, dwell=0.3)]


@skill('let go of the grip')
def let_go(view: SceneView) -> Plan:
    """Open the fingers and go back to the middle in front of the door."""
    back = view.tool - [0.06, 0.0, 0.0]
    return [
        Waypoint(None, OPEN, dwell=0.2),
        Waypoint(from_front(back), OPEN),
        Waypoint(from_front(view.place('front of the door')), OPEN, dwell=0.3),
    ]


@skill('add soap to the sponge')
def add_soap(view: SceneView) -> Plan:
    """Hold the sponge over the soap dispenser."""
    at = view.place('soap')
    return [Waypoint(from_above(at + 0.02 * _UP), CLOSED, dwell=0.6)]


@skill('scrub the (?P<name>.+)')
def scrub(view: SceneView, name: str) -> Plan:
    """Rub the held sponge on a thing, then lift it."""
    at = np.array(view.thing(name)['at'])
    above, low = from_above(view.above(at)), at + 0.024 * _UP
    strokes = [Waypoint(from_above(low + [0.0, side, 0.0]), CLOSED, dwell=0.1, speed=1.0)
               for side in (0.02, -0.02, 0.02, -0.02, 0.0)]
    return [Waypoint(above, CLOSED), *strokes, Waypoint(_high_over(view, at), CLOSED)]


@skill('wipe the (?P<part>.+ of the counter)')
def wipe_counter(view: SceneView, part: str) -> Plan:
    """Draw the held sponge over a part of the counter, then lift it."""
    at = view.place(part)
    above, low = from_above(view.above(at)), at + 0.02 * _UP
    strokes = [Waypoint(from_above(low + [0.0, side, 0.0]), CLOSED, dwell=0.1, speed=1.2)
               for side in (0.06, -0.06)]
    return [Waypoint(above, CLOSED), *strokes, Waypoint(_high_over(view, at), CLOSED)]


def _high_over(view: SceneView, at: FloatArray) -> FloatArray:
    """Return joints for a hand higher than it came: at rest, it shows that the work is done."""
    return from_above(view.above(at) + 0.07 * _UP)
