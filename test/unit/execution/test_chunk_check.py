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

"""Tests of the check of whole chunks."""

from dataclasses import replace

import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.limits import JointLimits
from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.execution.chunk_check import check_chunk, ChunkRules, in_joint_order

NAMES = ('shoulder', 'elbow')
LIMITS = JointLimits(
    NAMES, lower=np.array([-2.0, 0.0]), upper=np.array([2.0, 1.0]), velocity=np.array([2.0, 1.0]))
START = np.array([0.1, 0.5])


def make_chunk(**changes) -> ActionChunk:
    rows = START + np.linspace(0.0, 0.3, 16)[:, None]
    return replace(ActionChunk(NAMES, 10.0, 0.1, rows), **changes)


def check(chunk: ActionChunk, now: float = 10.0, reference=START):
    return check_chunk(chunk, LIMITS, now, np.asarray(reference), ChunkRules())


def rows_with(row: int, joint: int, value: float) -> np.ndarray:
    rows = make_chunk().positions.copy()
    rows[row, joint] = value
    return rows


def test_good_chunk_passes():
    assert check(make_chunk()) is None


@pytest.mark.parametrize('names', [
    ('shoulder',), ('elbow', 'shoulder'), ('shoulder', 'wrist'), ('shoulder', 'elbow', 'wrist')])
def test_other_joints_are_refused(names):
    assert check(make_chunk(joint_names=names)).name == 'wrong_joints'


@pytest.mark.parametrize('shape', [(16,), (1, 2), (0, 2), (16, 3), (16, 2, 1)])
def test_wrong_shape_is_refused(shape):
    assert check(make_chunk(positions=np.zeros(shape))).name == 'malformed_chunk'


@pytest.mark.parametrize('changes', [
    {'dt': 0.0}, {'dt': -0.1}, {'dt': np.nan}, {'stamp': np.nan}, {'stamp': np.inf}])
def test_times_that_do_not_increase_are_refused(changes):
    assert check(make_chunk(**changes)).name == 'malformed_chunk'


@pytest.mark.parametrize('value', [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize('row', [0, 7, 15])
def test_value_that_is_not_finite_is_refused_wherever_it_is(row, value):
    fault = check(make_chunk(positions=rows_with(row, 1, value)))
    assert (fault.name, fault.source) == ('non_finite_action', 'elbow')
    assert f'row {row}' in fault.detail


@pytest.mark.parametrize(('joint', 'value'), [(0, 2.002), (0, -2.002), (1, -0.002), (1, 1.002)])
def test_row_outside_the_limits_is_refused_by_name(joint, value):
    fault = check(make_chunk(positions=rows_with(9, joint, value)))
    assert (fault.name, fault.source) == ('position_limit', NAMES[joint])


def test_row_within_the_slack_passes():
    rows = np.full((16, 2), [0.1, 1.0005])
    assert check(make_chunk(positions=rows), reference=[0.1, 1.0]) is None


def test_step_that_is_too_fast_is_refused():
    fault = check(make_chunk(positions=rows_with(5, 0, 0.5)))
    assert (fault.name, fault.source) == ('velocity_limit', 'shoulder')


@pytest.mark.parametrize(('now', 'name'), [
    (11.5, 'past_chunk'), (20.0, 'past_chunk'), (11.01, 'late_chunk'), (9.79, 'early_chunk')])
def test_chunk_at_the_wrong_time_is_refused(now, name):
    assert check(make_chunk(), now).name == name


@pytest.mark.parametrize('now', [9.81, 10.0, 10.99])
def test_chunk_in_time_passes(now):
    assert check(make_chunk(), now, reference=[0.2, 0.6]) is None


def test_chunk_that_begins_elsewhere_is_refused():
    fault = check(make_chunk(), reference=[0.1, 0.5 + 0.21])
    assert (fault.name, fault.source) == ('jumping_action', 'elbow')
    assert check(make_chunk(), reference=[0.1, 0.5 + 0.19]) is None


def test_jump_is_measured_where_the_chunk_is_now():
    now_at = START + 0.3 * 0.9 / 1.5
    assert check(make_chunk(), 10.9, reference=now_at) is None
    assert check(make_chunk(), 10.9, reference=now_at - 0.25).name == 'jumping_action'


def test_columns_are_put_in_order_by_name():
    rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    chunk = in_joint_order(ActionChunk(('elbow', 'shoulder'), 1.0, 0.1, rows), NAMES)
    assert chunk.joint_names == NAMES
    np.testing.assert_array_equal(chunk.positions, [[2.0, 1.0], [4.0, 3.0]])


def test_foreign_joints_are_left_for_the_check():
    chunk = make_chunk(joint_names=('a', 'b'))
    assert in_joint_order(chunk, NAMES) is chunk


def test_negative_rule_is_refused():
    with pytest.raises(ConfigError, match='max_jump_s'):
        ChunkRules(max_jump_s=-0.1)
