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

"""Tests of real-time chunking at run time."""

import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.execution.chunking import RealTimeChunking
from mem_vla_ros.execution.delay_forecast import DelayForecast, steps_begun

DT = 0.1
ROWS = 16


def make_chunking(mode: str = 'rtc_guided', **settings) -> RealTimeChunking:
    return RealTimeChunking(
        mode, DT, ROWS, **({'execution_horizon': 5, 'transport_s': 0.0} | settings))


def make_chunk(stamp: float, slope: float = 1.0, start: float = 0.0) -> ActionChunk:
    rows = start + slope * DT * np.arange(ROWS)[:, None] * np.ones(2)
    return ActionChunk(('a', 'b'), stamp, DT, rows)


@pytest.mark.parametrize(('elapsed', 'steps'), [
    (0.0, 0), (-0.3, 0), (0.001, 1), (0.1, 1), (0.1 + 1e-9, 1), (0.11, 2), (0.3, 3)])
def test_step_counts_from_its_beginning(elapsed, steps):
    assert steps_begun(elapsed, DT) == steps


def test_forecast_is_the_longest_of_the_recent_delays():
    forecast = DelayForecast(size=3, initial=1)
    assert forecast.steps == 1
    for delay in (2, 5, 1):
        forecast.add(delay)
    assert forecast.steps == 5
    forecast.add(2)
    forecast.add(2)
    assert forecast.steps == 2


def test_first_inference_is_due_at_once_and_cold():
    chunking = make_chunking()
    assert chunking.due(0.0)
    assert chunking.committed(0.0) is None


def test_next_inference_is_due_after_the_execution_horizon():
    chunking = make_chunking(execution_horizon=5)
    chunking.answered(make_chunk(1.0), 1.1)
    assert not chunking.due(1.49)
    assert chunking.due(1.5)


def test_longer_delay_lengthens_the_execution_horizon():
    chunking = make_chunking(execution_horizon=2)
    chunking.answered(make_chunk(1.0), 1.45)
    assert chunking.forecast.steps == 5
    assert not chunking.due(1.49)
    assert chunking.due(1.5)


def test_inference_starts_before_the_chunk_runs_out():
    chunking = make_chunking(execution_horizon=15, forecast=DelayForecast(initial=6))
    chunking.answered(make_chunk(1.0), 1.6)
    assert chunking.due(1.0 + (ROWS - 1 - 6) * DT)


def test_committed_rows_lie_on_the_new_chunks_steps():
    chunking = make_chunking(forecast=DelayForecast(initial=3))
    chunking.answered(make_chunk(1.0, slope=2.0), 1.0)
    committed = chunking.committed(1.53)
    np.testing.assert_allclose(committed.positions[:3, 0], [1.06, 1.26, 1.46])
    assert len(committed.positions) == 10
    assert committed.delay == 4


def test_rows_up_to_the_one_being_approached_are_committed():
    chunking = make_chunking()
    chunking.answered(make_chunk(1.0), 1.25)
    committed = chunking.committed(1.5)
    assert chunking.forecast.steps == 3
    assert committed.delay == 4


def test_committed_delay_never_exceeds_what_is_left():
    chunking = make_chunking(forecast=DelayForecast(initial=12))
    chunking.answered(make_chunk(1.0), 1.1)
    committed = chunking.committed(2.2)
    assert committed.delay == len(committed.positions) == 4


@pytest.mark.parametrize('stamp', [2.45, 9.0, 0.9])
def test_chunk_that_is_over_or_not_begun_commits_nothing(stamp):
    chunking = make_chunking()
    chunking.answered(make_chunk(1.0), 1.1)
    assert chunking.committed(stamp) is None


def test_arm_that_does_not_follow_makes_a_cold_start():
    chunking = make_chunking(max_deviation=np.array([0.2, 0.2]))
    chunking.answered(make_chunk(1.0), 1.1)
    assert chunking.committed(1.5, np.array([0.4, 0.5])) is not None
    assert chunking.committed(1.5, np.array([0.2, 0.5])) is None


@pytest.mark.parametrize('mode', ['hard', 'ensemble'])
def test_without_real_time_chunking_nothing_is_committed(mode):
    chunking = make_chunking(mode)
    chunking.answered(make_chunk(1.0), 1.1)
    assert chunking.committed(1.5) is None


@pytest.mark.parametrize('mode', ['hard', 'rtc_guided', 'rtc_trained'])
def test_answer_is_published_as_it_is(mode):
    chunking = make_chunking(mode)
    chunking.answered(make_chunk(1.0), 1.1)
    chunk = make_chunk(1.5, start=3.0)
    assert chunking.answered(chunk, 1.6) is chunk
    assert chunking.running is chunk


def test_ensemble_averages_what_speaks_about_the_same_moment():
    chunking = make_chunking('ensemble', ensemble_decay=0.0)
    first = make_chunk(1.0, slope=0.0, start=1.0)
    np.testing.assert_array_equal(chunking.answered(first, 1.0).positions, first.positions)
    mixed = chunking.answered(make_chunk(1.5, slope=0.0, start=2.0), 1.5)
    np.testing.assert_allclose(mixed.positions[:11], 1.5)
    np.testing.assert_allclose(mixed.positions[11:], 2.0)


def test_ensemble_trusts_older_chunks_more():
    chunking = make_chunking('ensemble', ensemble_decay=1.0)
    chunking.answered(make_chunk(1.0, slope=0.0, start=1.0), 1.0)
    mixed = chunking.answered(make_chunk(1.1, slope=0.0, start=2.0), 1.1)
    np.testing.assert_allclose(mixed.positions[0], (1.0 + 2.0 * np.exp(-1)) / (1 + np.exp(-1)))


def test_transport_counts_as_delay():
    assert make_chunking(transport_s=0.02).delay_steps(1.0, 1.19) == 3
    assert make_chunking(transport_s=0.0).delay_steps(1.0, 1.19) == 2


def test_reset_makes_a_cold_start():
    chunking = make_chunking()
    chunking.answered(make_chunk(1.0), 1.1)
    chunking.reset()
    assert chunking.due(1.1)
    assert chunking.committed(1.1) is None


@pytest.mark.parametrize('setting', [
    {'mode': 'soft'}, {'execution_horizon': 0}, {'execution_horizon': 16}])
def test_impossible_setting_is_refused(setting):
    with pytest.raises(ConfigError):
        make_chunking(**setting)
