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

"""The follower: speed, dwell, pauses and a stuck arm."""

import numpy as np

from mem_vla_ros.sim.arm_limits import HOME
from mem_vla_ros.sim.experts.follower import Follower
from mem_vla_ros.sim.experts.waypoint import Waypoint

FAR = HOME[:6] + np.array([0.8, 0.0, 0.0, 0.0, 0.0, 0.0])
PLAN = [Waypoint(FAR, 0.03, dwell=0.2, speed=1.0), Waypoint(None, 0.0, dwell=0.3),
        Waypoint(HOME[:6], 0.0, dwell=0.0, speed=1.0)]


def play(follower, steps, reference=HOME, time=0.0):
    """Execute chunks of five rows and return all references."""
    rows = [reference]
    while len(rows) <= steps:
        chunk = follower.chunk(time, rows[-1], rows[-1], 6, 0.1)
        rows.extend(chunk[1:])
        time += 0.5
    return np.array(rows[:steps + 1])


def test_plan_is_followed_at_its_speed_with_dwell():
    rows = play(Follower(PLAN), 30)
    assert np.abs(np.diff(rows[:, 0])).max() <= 0.1 + 1e-9
    np.testing.assert_allclose(rows[8, :6], FAR)
    np.testing.assert_allclose(rows[-1, :6], HOME[:6], atol=1e-9)
    closed = np.flatnonzero(rows[:, 6] < 0.001)[0]
    assert closed >= 10, 'the fingers wait for the dwell'
    left = np.flatnonzero(rows[closed:, 0] < FAR[0] - 0.05)[0]
    assert left >= 3, 'the arm waits for the fingers'


def test_chunks_of_any_length_follow_the_same_path():
    whole = Follower(PLAN).chunk(0.0, HOME, HOME, 31, 0.1)
    np.testing.assert_allclose(play(Follower(PLAN), 30), whole, atol=1e-9)


def test_pause_of_the_executor_does_not_skip_a_waypoint():
    follower = Follower(PLAN)
    chunk = follower.chunk(0.0, HOME, HOME, 16, 0.1)
    stopped = chunk[3]
    resumed = follower.chunk(10.0, stopped, stopped, 16, 0.1)
    np.testing.assert_array_equal(resumed[0], stopped)
    np.testing.assert_allclose(resumed[5, :6], FAR, atol=1e-9)
    assert resumed[5, 6] == 0.03


def test_stuck_arm_is_waited_for_but_not_for_ever():
    follower = Follower(PLAN)
    behind = HOME - np.array([0.6, 0, 0, 0, 0, 0, 0])
    waiting = follower.chunk(0.0, behind, HOME, 6, 0.1)
    np.testing.assert_array_equal(waiting, np.tile(HOME, (6, 1)))
    moving = follower.chunk(1.2, behind, HOME, 6, 0.1)
    assert moving[-1, 0] > HOME[0] + 0.4


def test_follower_knows_when_it_has_finished():
    follower = Follower([Waypoint(FAR, 0.03, dwell=0.0, speed=2.0)])
    assert not follower.finished(0.0, HOME, 0.1)
    chunk = follower.chunk(0.0, HOME, HOME, 16, 0.1)
    assert follower.finished(1.5, chunk[-1], 0.1)
    assert Follower([]).finished(0.0, HOME, 0.1)
