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

"""Tests of blending, limiting and braking."""

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from mem_vla_ros.execution.motion import limit_speed, Motion, splice

DT = 0.02


def ramp(speed: float = 1.0, start: float = 0.0, seconds: float = 2.0) -> Motion:
    times = np.linspace(start, start + seconds, 21)
    return Motion(times, (speed * (times - start))[:, None])


def random_motion(seed: int, joints: int = 3) -> Motion:
    steps = np.random.default_rng(seed).normal(0.0, 0.1, (16, joints))
    return Motion(np.arange(16) * 0.1, np.cumsum(steps, axis=0))


def test_positions_move_linearly_and_rest_outside():
    motion = ramp(2.0)
    np.testing.assert_allclose(motion.at(np.array([-1.0, 0.55, 9.0]))[:, 0], [0.0, 1.1, 4.0])
    assert motion.at(0.5).shape == (1,)


def test_rest_stands_at_all_times():
    rest = Motion.rest(np.array([1.0, 2.0]), 5.0)
    np.testing.assert_allclose(rest.at(np.array([0.0, 9.0])), [[1.0, 2.0], [1.0, 2.0]])
    np.testing.assert_allclose(rest.braked(7.0, 0.25, DT).at(8.0), [1.0, 2.0])


def test_braking_rests_in_time_after_half_the_way():
    braked = ramp(1.0).braked(1.0, 0.5, DT)
    assert braked.end == pytest.approx(1.5)
    np.testing.assert_allclose(braked.at(0.7), [0.7])
    np.testing.assert_allclose(braked.at(9.0), [1.25])


def test_braking_is_even():
    braked = ramp(2.0).braked(1.0, 0.5, DT)
    speeds = np.diff(braked.at(np.arange(1.0, 1.51, DT))[:, 0]) / DT
    np.testing.assert_allclose(np.diff(speeds) / DT, -2.0 / 0.5, atol=1e-6)


@given(st.integers(0, 100), st.floats(0.0, 1.6))
def test_braking_stays_on_the_path(seed, start):
    motion = random_motion(seed)
    braked = motion.braked(start, 0.25, DT)
    path = motion.at(np.linspace(start, start + 0.125, 2000))
    for position in braked.at(np.linspace(start, start + 0.3, 30)):
        assert np.abs(path - position).max(axis=1).min() < 0.02


@given(st.integers(0, 100), st.floats(0.1, 1.4))
def test_splice_begins_on_the_old_and_ends_on_the_new(seed, now):
    old, new = random_motion(seed), random_motion(seed + 1)
    joined = splice(old, new, now, 0.1, DT)
    np.testing.assert_allclose(joined.at(now), old.at(now), atol=1e-9)
    late = joined.times[joined.times >= now + 0.1]
    np.testing.assert_allclose(joined.at(late), new.at(late), atol=1e-9)


def test_splice_of_equal_motions_changes_nothing():
    motion = ramp(0.7)
    joined = splice(motion, motion, 0.5, 0.1, DT)
    np.testing.assert_allclose(joined.at(joined.times), motion.at(joined.times), atol=1e-12)


def test_hard_splice_switches_within_one_step():
    joined = splice(ramp(0.0), Motion.rest(np.array([0.3]), 2.0), 1.0, 0.0, DT)
    np.testing.assert_allclose(joined.at(1.0), [0.0])
    np.testing.assert_allclose(joined.at(1.0 + DT), [0.3])


@given(st.integers(0, 100))
def test_limited_motion_is_never_too_fast(seed):
    limited = limit_speed(random_motion(seed), np.array([0.2, 0.5, 1.0]))
    speeds = np.abs(np.diff(limited.positions, axis=0)) / np.diff(limited.times)[:, None]
    assert np.all(speeds <= np.array([0.2, 0.5, 1.0]) + 1e-9)


def test_slow_motion_is_not_limited():
    motion = ramp(0.5)
    np.testing.assert_allclose(limit_speed(motion, np.array([1.0])).positions, motion.positions)


def test_velocity_is_the_slope():
    np.testing.assert_allclose(ramp(1.5).velocities(np.array([0.5, 1.0]), DT), 1.5)


def test_shifted_motion_is_the_same_later():
    np.testing.assert_allclose(ramp().shifted(3.0).at(3.5), [0.5])
