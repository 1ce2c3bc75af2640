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

"""Metrics of bag evaluation, on runs whose numbers are known by hand."""

from dataclasses import replace
import math

import numpy as np
import pytest

from mem_vla_ros.core.limits import JointLimits
from mem_vla_ros.core.states import HighLevelState, LowLevelState
from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.evaluation.annotations import Fact, SubtaskSpan
from mem_vla_ros.evaluation.metrics.action_error import action_error
from mem_vla_ros.evaluation.metrics.chunk_coverage import chunk_coverage
from mem_vla_ros.evaluation.metrics.chunk_seams import chunk_seams
from mem_vla_ros.evaluation.metrics.history_parity import history_parity
from mem_vla_ros.evaluation.metrics.history_spacing import history_spacing
from mem_vla_ros.evaluation.metrics.latency import Latency, recorded_latency
from mem_vla_ros.evaluation.metrics.memory_faithfulness import memory_faithfulness
from mem_vla_ros.evaluation.metrics.subtask_agreement import subtask_agreement
from mem_vla_ros.evaluation.reference import Reference
from mem_vla_ros.evaluation.run_trace import ChunkAnswer, RunTrace

LIMITS = JointLimits(
    ('a', 'b'), np.array([-1.0, 0.0]), np.array([1.0, 4.0]), np.array([1.0, 1.0]))


def chunk_at(stamp, positions, names=('a', 'b')):
    return ActionChunk(names, stamp, 0.1, np.asarray(positions, dtype=float))


def still(stamp, value=0.0, rows=11):
    return chunk_at(stamp, np.full((rows, 2), value))


def run_of(*answers, end=10.0, **states):
    return RunTrace(
        'test', 0.0, end, [ChunkAnswer(time, chunk) for time, chunk in answers], **states)


def reference_at(value, end=10.0, step=0.02):
    times = np.arange(0.0, end, step)
    return Reference('command', times, np.full((len(times), 2), value))


def decided(stamp, subtask='', memory='', latency=0.0):
    return HighLevelState(
        'e', 0, stamp, 'goal', '', subtask, '', memory, 0, 'ok', 'test', latency)


def seen(stamp, stamps, error=0.0, status='ok', timings=None):
    return LowLevelState(
        's', 'e', 0, stamp, 0.1, 11, 'goal', 'subtask', {'base': stamps},
        spacing_error_s=error, status=status, timings_s=timings or {}, stride=1.0)


def test_action_error_is_in_parts_of_the_joint_range():
    error = action_error(run_of((1.0, still(1.0, 0.5))), reference_at(0.0), LIMITS)
    assert error.mae == pytest.approx((0.5 / 2 + 0.5 / 4) / 2)
    assert error.per_joint == pytest.approx([0.5, 0.5])
    assert error.per_joint_rmse == pytest.approx([0.5, 0.5])


def test_action_error_grows_with_the_step_ahead():
    rows = np.outer(np.arange(11) * 0.01, [1.0, 0.0])
    error = action_error(run_of((1.0, chunk_at(1.0, rows))), reference_at(0.0), LIMITS)
    assert np.all(np.diff(error.per_step) > 0)
    assert error.per_step[9] == pytest.approx(0.1 / 2 / 2)
    assert error.rmse > error.mae


def test_action_error_maps_joints_by_name():
    swapped = chunk_at(1.0, np.tile([3.0, 0.5], (11, 1)), names=('b', 'a'))
    error = action_error(run_of((1.0, swapped)), reference_at(0.0), LIMITS)
    assert error.per_joint == pytest.approx([0.5, 3.0])


def test_action_error_ignores_rows_after_the_recording():
    trace = run_of((9.5, still(9.5, 0.5)), (20.0, still(20.0, 100.0)))
    assert action_error(trace, reference_at(0.0), LIMITS).per_joint[0] == pytest.approx(0.5)
    assert action_error(run_of((20.0, still(20.0))), reference_at(0.0), LIMITS) is None
    assert action_error(run_of(), reference_at(0.0), LIMITS) is None


def test_reference_is_unknown_inside_a_gap():
    reference = Reference('command', np.array([0.0, 0.1, 2.0, 2.1]), np.zeros((4, 1)))
    _, known = reference.at(np.array([-0.1, 0.05, 1.0, 2.05, 2.2]))
    assert known.tolist() == [False, True, False, True, False]


def test_seam_jump_is_measured_when_the_new_chunk_arrives():
    old = chunk_at(0.0, np.outer(np.arange(11) * 0.1, [1.0, 0.0]))  # moves 1 a second
    seams = chunk_seams(run_of((0.0, old), (0.55, still(0.5, 0.5))), LIMITS)
    assert seams.jumps == pytest.approx([(0.5) / 4], abs=1e-9)  # joint b: 0.5 of a range of 4
    assert seams.jump_max == seams.jump_mean


def test_seamless_motion_has_no_jump_and_no_jerk():
    def line(stamp):
        return chunk_at(stamp, np.outer(stamp + np.arange(11) * 0.1, [0.1, 0.2]))
    seams = chunk_seams(run_of((0.0, line(0.0)), (0.5, line(0.5)), (1.0, line(1.0))), LIMITS)
    assert seams.jump_max == pytest.approx(0.0, abs=1e-12)
    assert seams.jerk_rms == pytest.approx(0.0, abs=1e-9)


def test_jump_between_chunks_shows_as_jerk():
    seams = chunk_seams(run_of((0.0, still(0.0)), (0.5, still(0.5, 0.2))), LIMITS)
    assert seams.jerk_rms > 1.0


def test_chunks_that_do_not_touch_have_no_seam():
    assert chunk_seams(run_of((0.0, still(0.0)), (5.0, still(5.0))), LIMITS) is None


def test_coverage_counts_time_without_a_chunk():
    coverage = chunk_coverage(run_of((1.0, still(1.0)), (5.0, still(4.5))))
    # Covered: 1.0 to 2.0 and 5.0 to 5.5 of ten seconds.
    assert coverage.uncovered == pytest.approx(0.85)
    assert coverage.longest_gap_s == pytest.approx(4.5)
    assert coverage.chunks == 2


def test_run_without_any_chunk_is_uncovered():
    coverage = chunk_coverage(run_of(low_level=[seen(1.0, [1.0], status='failed')]))
    assert coverage.uncovered == 1.0
    assert coverage.refused == 1
    assert chunk_coverage(run_of()) is None


def test_padding_at_the_start_is_not_counted_as_loss():
    states = [seen(5.0, [None, None, 5.0]), seen(6.0, [None, 5.0, 6.0]),
              seen(7.0, [5.0, None, 7.0], error=0.2)]
    spacing = history_spacing(run_of(low_level=states))
    assert spacing.padded == pytest.approx(4 / 9)
    assert spacing.padded_late == pytest.approx(1 / 6)
    assert spacing.error_max_s == 0.2
    assert spacing.error_mean_s == pytest.approx(0.2 / 3)


def test_latency_percentiles():
    values = [i / 100 for i in range(1, 101)]
    latency = Latency.of(values)
    assert (latency.p50_s, latency.max_s, latency.count) == (pytest.approx(0.505), 1.0, 100)
    assert latency.p95_s == pytest.approx(0.9505)
    trace = run_of(
        high_level=[decided(0.0, latency=0.3)],
        low_level=[seen(1.0, [1.0], timings={'observe': 0.01, 'predict': 0.09})])
    latencies = recorded_latency(trace)
    assert latencies['low_level'].max_s == pytest.approx(0.1)
    assert latencies['high_level'].max_s == pytest.approx(0.3)
    assert recorded_latency(run_of()) == {}


SPANS = (SubtaskSpan(0.0, 4.0, 'Open drawer'), SubtaskSpan(4.0, 8.0, 'pick cup'))


def test_subtask_accuracy_is_a_share_of_time():
    states = [decided(0.0, 'open  DRAWER.'), decided(5.0, 'pick cup')]
    agreement = subtask_agreement(run_of(high_level=states), SPANS)
    assert agreement.accuracy == pytest.approx(7 / 8)
    assert agreement.switch_errors == pytest.approx((1.0,))
    assert (agreement.missed, agreement.retries) == (0, 0)


def test_subtask_counts_from_the_moment_it_is_published():
    states = [decided(0.0, 'open drawer'), decided(4.0, 'pick cup', latency=0.5)]
    agreement = subtask_agreement(run_of(high_level=states), SPANS)
    assert agreement.switch_errors == pytest.approx((0.5,))


def test_switch_that_never_comes_is_missed():
    agreement = subtask_agreement(run_of(high_level=[decided(0.0, 'open drawer')]), SPANS)
    assert (agreement.missed, agreement.switch_errors) == (1, ())
    assert agreement.switch_error_mean_s is None


def test_retries_are_counted_on_both_sides():
    spans = (SubtaskSpan(0, 2, 'pick', 'failure'), SubtaskSpan(2, 4, 'pick'),
             SubtaskSpan(4, 6, 'place'))
    states = [decided(0.0, 'pick'), decided(1.0, 'place'), decided(2.0, 'pick')]
    agreement = subtask_agreement(run_of(high_level=states), spans)
    assert (agreement.retries, agreement.annotated_retries) == (1, 1)


def test_agreement_needs_annotation_and_states():
    assert subtask_agreement(run_of(), SPANS) is None
    assert subtask_agreement(run_of(high_level=[decided(0.0, 'x')]), ()) is None


def fact(known_from, until, *match):
    return Fact('fact', match, known_from, until)


def test_fact_that_is_kept_from_its_time_on_counts_fully():
    states = [decided(0.0), decided(3.0, memory='The cup is in drawer 2.')]
    result = memory_faithfulness(run_of(high_level=states), (fact(3.0, 10.0, 'drawer 2'),))
    assert (result.kept, result.dropped_early, result.invented) == (1.0, 0, 0)


def test_fact_that_vanishes_while_it_matters_is_dropped_early():
    states = [decided(0.0), decided(2.0, memory='cup in drawer 2'), decided(6.0, memory='')]
    result = memory_faithfulness(run_of(high_level=states), (fact(2.0, 10.0, 'drawer 2'),))
    assert result.dropped_early == 1
    assert result.kept == pytest.approx(2 / 6)
    late = memory_faithfulness(run_of(high_level=states), (fact(2.0, 6.0, 'drawer 2'),))
    assert (late.dropped_early, late.kept) == (0, 1.0)


def test_fact_before_its_time_or_never_true_is_invented():
    states = [decided(0.0, memory='cup in drawer 2')]
    result = memory_faithfulness(
        run_of(high_level=states),
        (fact(8.0, 10.0, 'drawer 2'), fact(math.inf, math.inf, 'drawer 2', 'drawer two'),
         fact(math.inf, math.inf, 'drawer 3')))
    assert result.invented == 2


def test_memory_length_is_compared_with_naive_memory():
    states = [decided(0.0, 'a' * 10), decided(5.0, 'b' * 10, memory='m' * 4)]
    result = memory_faithfulness(run_of(high_level=states), ())
    assert result.chars == pytest.approx(2.0)
    assert result.naive_chars == pytest.approx(5.0)
    assert result.kept is None


def test_parity_finds_frames_that_were_chosen_otherwise():
    stamps = {'base': [0.1 * i for i in range(100)]}
    right = seen(5.05, [3.0, 4.0, 5.0])
    lagging = seen(5.05, [3.0, 4.0, 4.9])
    wrong = seen(5.05, [3.0, 4.2, 5.0])
    parity = history_parity(run_of(low_level=[right, lagging, wrong]), stamps)
    assert parity.inferences == 3
    assert parity.equal == pytest.approx(1 / 3)
    assert parity.past_equal == pytest.approx(2 / 3)
    assert history_parity(run_of(), stamps) is None


def test_parity_knows_that_an_episode_sees_nothing_from_before_it():
    stamps = {'base': [0.1 * i for i in range(100)]}
    state = seen(5.05, [None, 4.0, 5.0])
    assert history_parity(run_of(low_level=[state]), stamps).equal == 0.0
    reset = replace(state, since=3.55)
    assert history_parity(run_of(low_level=[reset]), stamps).equal == 1.0
    assert history_parity(run_of(low_level=[replace(state, since=50.0)]), stamps).equal == 0.0
