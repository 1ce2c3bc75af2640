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

"""Tests of the chunk player, with time fed by hand."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.limits import JointLimits
from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.execution.chunk_check import ChunkRules
from mem_vla_ros.execution.chunk_player import ChunkPlayer, Command, PlayerConfig
from mem_vla_ros.execution.level import Level

NAMES = ('shoulder', 'elbow')
LIMITS = JointLimits(
    NAMES, lower=np.array([-2.0, -1.0]), upper=np.array([2.0, 1.0]),
    velocity=np.array([2.0, 1.0]))
DT = 0.02


def make_player(**config) -> ChunkPlayer:
    player = ChunkPlayer(LIMITS, PlayerConfig(**config))
    player.seed(np.zeros(2), 0.0)
    player.command(0.0, Level.OK)
    return player


def ramp_chunk(stamp: float = 0.0, speed: float = 0.5, start: float = 0.0, rows: int = 16,
               **changes) -> ActionChunk:
    positions = start + speed * 0.1 * np.arange(rows)[:, None] * np.array([1.0, 0.5])
    return replace(ActionChunk(NAMES, stamp, 0.1, positions), **changes)


def assert_safe(command: Command) -> None:
    """Assert what must hold for every command, whatever happened before."""
    assert len(command.times) >= 2
    assert command.times[0] == 0.0
    assert np.all(np.diff(command.times) > 0.0)
    assert command.times[-1] <= 0.5 + 1e-9
    assert np.all(np.isfinite(command.positions)) and np.all(np.isfinite(command.velocities))
    assert np.all(command.positions >= LIMITS.lower) and np.all(command.positions <= LIMITS.upper)
    assert np.all(np.abs(command.velocities) <= LIMITS.velocity * (1 + 1e-6))
    steps = np.abs(np.diff(command.positions, axis=0)) / np.diff(command.times)[:, None]
    assert np.all(steps <= LIMITS.velocity * (1 + 1e-6))
    assert np.all(command.velocities[-1] == 0.0)


def run(player: ChunkPlayer, start: float, stop: float, level: Level = Level.OK) -> np.ndarray:
    """Play at the control rate and return the references that were sent."""
    sent = []
    for now in np.arange(start, stop, DT):
        command = player.command(float(now), level)
        assert_safe(command)
        sent.append(command.positions[0])
    return np.array(sent)


def test_there_is_no_command_before_the_joints_are_known():
    player = ChunkPlayer(LIMITS)
    assert player.command(0.0, Level.OK) is None
    assert player.reference(0.0) is None
    assert player.accept(ramp_chunk(), 0.0).name == 'no_reference'


def test_player_stands_where_the_joints_are():
    player = ChunkPlayer(LIMITS)
    player.seed(np.array([0.3, 0.4]), 0.0)
    player.seed(np.array([9.0, 9.0]), 0.1)
    command = player.command(0.2, Level.OK)
    assert_safe(command)
    np.testing.assert_allclose(command.positions, np.tile([0.3, 0.4], (len(command.times), 1)))


def test_chunk_is_played_by_its_stamps():
    player = make_player()
    assert player.accept(ramp_chunk(), 0.0) is None
    sent = run(player, 0.0, 1.36)
    times = np.arange(0.0, 1.36, DT)
    late = times > 0.12
    np.testing.assert_allclose(sent[late, 0], 0.5 * times[late], atol=1e-6)


def test_late_chunk_is_joined_where_it_is_now():
    player = make_player()
    assert player.accept(ramp_chunk(0.0, speed=0.5), 0.5) is None
    run(player, 0.5, 0.8)
    np.testing.assert_allclose(player.reference(0.8), [0.4, 0.2], atol=1e-6)


def test_plan_of_a_slow_policy_begins_where_the_arm_has_stood_since():
    player = make_player()
    assert player.accept(ramp_chunk(stamp=0.1, speed=1.2), 0.9) is None
    assert player.reference(0.9)[0] == pytest.approx(0.0, abs=0.02)
    assert player.reference(1.4)[0] == pytest.approx(0.6, abs=0.1)


def test_late_plan_is_joined_where_it_passes_the_arm_that_has_moved_less():
    player = make_player()
    player.accept(ramp_chunk(stamp=0.0, speed=0.2), 0.0)
    run(player, 0.0, 0.9)
    assert player.accept(ramp_chunk(stamp=0.1, speed=1.2), 0.9) is None
    sent = run(player, 0.9, 1.4)
    assert sent[0, 0] == pytest.approx(0.18, abs=0.02)
    assert sent[-1, 0] == pytest.approx(0.18 + 0.5 * 1.2, abs=0.1)


def test_late_plan_that_turns_round_passes_the_arm_the_first_time():
    out_and_back = 1.2 * np.minimum(0.1 * np.arange(16), 1.5 - 0.1 * np.arange(16))
    player = make_player()
    player.accept(ramp_chunk(stamp=0.0, speed=0.0), 0.0)
    run(player, 0.0, 0.8)
    chunk = ramp_chunk(stamp=0.0, positions=out_and_back[:, None] * np.array([1.0, 0.5]))
    assert player.accept(replace(chunk, stamp=0.05), 0.8) is None
    assert run(player, 0.8, 2.3)[:, 0].max() == pytest.approx(0.84, abs=0.05)


def test_late_plan_that_never_passes_the_arm_is_a_jump():
    player = make_player()
    player.accept(ramp_chunk(stamp=0.0, speed=1.0), 0.0)
    run(player, 0.0, 0.9)
    fault = player.accept(ramp_chunk(stamp=0.1, speed=-1.0, start=0.1), 0.9)
    assert fault is not None and fault.name == 'jumping_action'
    assert "'shoulder'" in fault.detail


def test_command_follows_the_chunk_before_it_brakes():
    player = make_player()
    player.accept(ramp_chunk(), 0.0)
    run(player, 0.0, 0.5)
    command = player.command(0.5, Level.OK)
    np.testing.assert_allclose(command.position_after(0.2)[0], 0.5 * 0.7, atol=1e-6)
    np.testing.assert_allclose(command.velocities[2], [0.5, 0.25], atol=1e-6)
    np.testing.assert_allclose(command.positions[-1, 0], 0.5 * (0.5 + 0.25 + 0.125), atol=1e-3)


def test_arm_rests_within_half_a_second_of_the_last_chunk():
    player = make_player()
    assert player.accept(ramp_chunk(speed=1.0), 0.0) is None
    sent = run(player, 0.0, 3.0)
    assert np.all(np.diff(sent[int(1.9 / DT):], axis=0) == 0.0)
    assert not player.moving(1.9)
    np.testing.assert_allclose(sent[-1, 0], 1.5, atol=0.02)


def test_end_of_a_chunk_is_no_sudden_stop():
    player = make_player()
    player.accept(ramp_chunk(speed=1.0), 0.0)
    speeds = np.diff(run(player, 0.2, 2.5)[:, 0]) / DT
    assert np.abs(np.diff(speeds)).max() / DT <= LIMITS.velocity[0] / 0.25 + 1e-6


def test_hold_brakes_within_the_bounds_and_stays():
    player = make_player()
    player.accept(ramp_chunk(speed=1.0), 0.0)
    moving = run(player, 0.0, 0.6)
    held = run(player, 0.6, 1.6, Level.HOLD)
    speeds = np.diff(np.concatenate([moving, held])[20:, 0]) / DT
    assert np.abs(np.diff(speeds)).max() / DT <= LIMITS.velocity[0] / 0.25 + 1e-6
    assert np.all(np.diff(held[int(0.26 / DT):], axis=0) == 0.0)


@pytest.mark.parametrize('level', [Level.HOLD, Level.STOP, Level.FAULT])
def test_old_chunk_is_not_resumed_after_a_hold(level):
    player = make_player()
    player.accept(ramp_chunk(), 0.0)
    run(player, 0.0, 0.3)
    held = run(player, 0.3, 0.7, level)
    after = run(player, 0.7, 1.5)
    np.testing.assert_array_equal(after, np.tile(held[-1], (len(after), 1)))


def test_chunk_that_came_while_holding_is_played_on_resume():
    player = make_player()
    run(player, 0.0, 0.2, Level.HOLD)
    assert player.accept(ramp_chunk(0.2), 0.2) is None
    assert np.ptp(run(player, 0.2, 0.4, Level.HOLD)) == 0.0
    run(player, 0.4, 0.6)
    np.testing.assert_allclose(player.reference(0.6)[0], 0.2, atol=1e-6)


def test_chunk_that_grew_old_while_holding_is_forgotten():
    player = make_player()
    run(player, 0.0, 0.2, Level.HOLD)
    player.accept(ramp_chunk(0.2), 0.2)
    run(player, 0.2, 1.3, Level.HOLD)
    assert np.ptp(run(player, 1.3, 1.6)) == 0.0


def test_new_chunk_replaces_the_running_one_without_a_jump():
    player = make_player()
    player.accept(ramp_chunk(0.0, speed=0.5), 0.0)
    first = run(player, 0.0, 0.5)
    assert player.accept(ramp_chunk(0.5, speed=-0.2, start=0.3), 0.5) is None
    sent = np.concatenate([first, run(player, 0.5, 1.0)])
    assert np.abs(np.diff(sent, axis=0)).max() <= LIMITS.velocity.max() * DT
    np.testing.assert_allclose(player.reference(1.0)[0], 0.3 - 0.1, atol=1e-6)


def test_coinciding_chunk_changes_nothing():
    player, other = make_player(), make_player()
    for each in (player, other):
        each.accept(ramp_chunk(), 0.0)
        run(each, 0.0, 0.5)
    other.accept(ramp_chunk(0.5, start=0.0, positions=ramp_chunk(rows=21).positions[5:]), 0.5)
    np.testing.assert_allclose(run(player, 0.5, 1.2), run(other, 0.5, 1.2), atol=1e-6)


def test_hard_switch_is_as_fast_as_the_limits_allow():
    player = make_player(blend_s=0.0)
    player.accept(ramp_chunk(0.0, speed=0.0, start=0.15), 0.0)
    sent = run(player, 0.0, 0.5)
    steps = np.diff(sent[:, 0])
    assert steps.max() == pytest.approx(LIMITS.velocity[0] * DT)
    np.testing.assert_allclose(sent[-1], [0.15, 0.15])


@pytest.mark.parametrize(('spoil', 'name'), [
    ({'positions': np.full((16, 2), np.nan)}, 'non_finite_action'),
    ({'positions': np.full((16, 2), 0.9)}, 'jumping_action'),
    ({'positions': np.full((16, 2), 3.0)}, 'position_limit'),
    ({'joint_names': ('a', 'b')}, 'wrong_joints'),
    ({'dt': 0.001}, 'velocity_limit')])
def test_bad_chunk_is_refused_and_the_running_one_goes_on(spoil, name):
    player, calm = make_player(), make_player()
    for each in (player, calm):
        each.accept(ramp_chunk(), 0.0)
        run(each, 0.0, 0.3)
    assert player.accept(ramp_chunk(0.3, **spoil), 0.3).name == name
    np.testing.assert_array_equal(run(player, 0.3, 2.0), run(calm, 0.3, 2.0))


def test_three_bad_chunks_in_a_row_are_a_fault():
    player = make_player()
    levels = []
    for index in range(3):
        bad = ramp_chunk(0.1 * index, positions=np.full((16, 2), np.nan))
        player.accept(bad, 0.1 * index)
        levels.append(player.flags()['rejected_chunks'])
    assert levels == [Level.HOLD, Level.HOLD, Level.FAULT]


def test_good_chunk_forgives_bad_ones_but_a_late_one_does_not():
    player = make_player()
    player.accept(ramp_chunk(0.0, positions=np.full((16, 2), np.nan)), 0.0)
    assert player.accept(ramp_chunk(0.1), 1.3).name == 'late_chunk'
    assert player.flags()['rejected_chunks'] == Level.HOLD
    assert player.accept(ramp_chunk(1.3), 1.3) is None
    assert player.flags()['rejected_chunks'] == Level.OK


def test_columns_of_a_chunk_are_mapped_by_name():
    player = make_player()
    chunk = ramp_chunk()
    swapped = replace(chunk, joint_names=NAMES[::-1], positions=chunk.positions[:, ::-1])
    assert player.accept(swapped, 0.0) is None
    run(player, 0.0, 0.4)
    np.testing.assert_allclose(player.reference(0.4), [0.2, 0.1], atol=1e-6)


def test_two_living_sessions_are_a_fault_until_reset():
    player = make_player()
    player.accept(ramp_chunk(0.0, session='first'), 0.0)
    player.accept(ramp_chunk(0.1, session='rogue'), 0.1)
    player.accept(ramp_chunk(0.2, session='first'), 0.2)
    assert player.flags()['second_session'] == Level.FAULT
    player.reset(0.3)
    assert player.flags()['second_session'] == Level.OK


def test_reset_brakes_and_hears_no_more_of_the_episode():
    player = make_player()
    player.accept(ramp_chunk(episode='one'), 0.0)
    run(player, 0.0, 0.5)
    player.reset(0.5)
    run(player, 0.5, 0.8)
    assert not player.moving(0.8)
    assert player.accept(ramp_chunk(0.8, start=0.3, episode='one'), 0.8).name == 'old_episode'
    assert player.accept(ramp_chunk(0.8, start=0.3, episode='two'), 0.8) is None


def test_forgiving_brakes_and_goes_on_with_the_episode():
    player = make_player()
    player.accept(ramp_chunk(episode='one'), 0.0)
    run(player, 0.0, 0.5)
    player.forgive(0.5)
    run(player, 0.5, 0.8)
    assert not player.moving(0.8)
    assert player.accept(ramp_chunk(0.8, start=0.3, episode='one', session='new'), 0.8) is None
    assert player.accept(ramp_chunk(0.0, episode='one', session='new'), 0.8).name == (
        'repeated_chunk')


@pytest.mark.parametrize('jump', [-50.0, -0.3])
def test_clock_that_goes_back_brakes_without_a_jump(jump):
    player = make_player()
    player.accept(ramp_chunk(100.0), 100.0)
    first = run(player, 100.0, 100.6)[10:]
    then = run(player, 100.6 + jump, 101.4 + jump)
    assert np.abs(np.diff(np.concatenate([first, then]), axis=0)).max() <= 0.5 * DT + 1e-6
    assert np.ptp(then[int(0.3 / DT):], axis=0).max() == 0.0


def test_rows_within_the_slack_are_clipped():
    player = ChunkPlayer(LIMITS)
    player.seed(np.array([2.0, 0.0]), 0.0)
    player.command(0.0, Level.OK)
    assert player.accept(ramp_chunk(positions=np.full((16, 2), [2.0005, 0.0])), 0.0) is None
    run(player, 0.0, 1.0)


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.1, 0.3]))
def test_no_sequence_of_chunks_makes_an_unsafe_command(seed, blend_s):
    random = np.random.default_rng(seed)
    player = ChunkPlayer(LIMITS, PlayerConfig(blend_s=blend_s), ChunkRules(max_jump_s=0.5))
    player.seed(np.zeros(2), 0.0)
    sent = []
    for step in range(150):
        now = step * DT
        if random.random() < 0.1:
            rows = random.uniform(-1.1, 1.1, 2) + np.cumsum(random.normal(0, 0.06, (16, 2)), 0)
            if random.random() < 0.2:
                rows[random.integers(16), random.integers(2)] = random.choice([np.nan, 1e9])
            player.accept(ActionChunk(NAMES, now - random.uniform(-0.1, 0.8), 0.1, rows), now)
        command = player.command(now, Level(int(random.choice(5, p=[.8, .05, .05, .05, .05]))))
        assert_safe(command)
        sent.append(command.positions[0])
    assert np.all(np.abs(np.diff(sent, axis=0)) <= LIMITS.velocity * DT * (1 + 1e-6))


@pytest.mark.parametrize('setting', [
    {'horizon_s': 0.6}, {'brake_s': 0.5}, {'brake_s': 0.0}, {'dt_control': 0.2},
    {'point_dt': 0.0}, {'blend_s': -0.1}])
def test_impossible_setting_is_refused(setting):
    with pytest.raises(ConfigError):
        PlayerConfig(**setting)
