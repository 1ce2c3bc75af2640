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

"""Tests of the gate, its watchdogs and strikes."""

from hypothesis import given
from hypothesis import strategies as st
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.execution.level import Level
from mem_vla_ros.execution.safety_gate import SafetyGate
from mem_vla_ros.execution.strikes import Strikes
from mem_vla_ros.execution.watchdog import Watchdog, Watchdogs

flag_sets = st.dictionaries(st.sampled_from('abcde'), st.sampled_from(Level), max_size=5)


def test_gate_holds_before_its_first_update():
    assert not SafetyGate().may_move


def test_gate_without_flags_is_ok():
    gate = SafetyGate()
    assert gate.update(1.0, {}) == Level.OK
    assert gate.may_move
    assert gate.reasons == ()


@given(flag_sets)
def test_worst_flag_wins(flags):
    assert SafetyGate().update(0.0, flags) == max([Level.OK, *flags.values()])


@given(st.lists(flag_sets, min_size=1, max_size=10), flag_sets)
def test_fault_stays_until_reset_whatever_comes_after(before, after):
    gate = SafetyGate()
    for time, flags in enumerate([*before, {'a': Level.FAULT}, after]):
        gate.update(float(time), flags)
    assert gate.level == Level.FAULT
    assert 'a' in gate.reasons
    gate.reset()
    assert gate.update(99.0, {}) == Level.OK


@given(st.lists(flag_sets, min_size=1, max_size=10))
def test_without_fault_only_the_present_flags_count(history):
    gate = SafetyGate()
    calm = [{name: min(level, Level.STOP) for name, level in flags.items()} for flags in history]
    for time, flags in enumerate(calm):
        gate.update(float(time), flags)
    assert gate.level == max([Level.OK, *calm[-1].values()])


@given(flag_sets, st.sampled_from('abcde'), st.sampled_from(Level))
def test_one_more_flag_never_improves_the_level(flags, name, level):
    worse = flags | {name: max(level, flags.get(name, Level.OK))}
    assert SafetyGate().update(0.0, worse) >= SafetyGate().update(0.0, flags)


def test_reasons_name_the_worst_first_and_not_what_is_fine():
    gate = SafetyGate()
    gate.update(0.0, {'c': Level.WARN, 'b': Level.STOP, 'a': Level.OK})
    assert gate.reasons == ('b', 'c')


def test_latched_fault_is_still_named_when_its_cause_is_gone():
    gate = SafetyGate()
    gate.update(0.0, {'second_session': Level.FAULT})
    gate.update(1.0, {'camera_age': Level.HOLD})
    assert gate.reasons == ('second_session', 'camera_age')


def test_reset_does_not_help_while_the_cause_is_there():
    gate = SafetyGate()
    gate.update(0.0, {'a': Level.FAULT})
    gate.reset()
    assert gate.update(1.0, {'a': Level.FAULT}) == Level.FAULT


def test_since_is_the_time_of_the_last_change():
    gate = SafetyGate()
    gate.update(1.0, {})
    gate.update(2.0, {'a': Level.WARN})
    gate.update(3.0, {'b': Level.WARN})
    assert gate.since == 2.0


@pytest.mark.parametrize(('age', 'level'), [
    (0.0, Level.OK), (0.2, Level.OK), (0.21, Level.WARN), (0.5, Level.WARN), (0.51, Level.HOLD)])
def test_watchdog_warns_then_holds(age, level):
    dog = Watchdog(0.2, 0.5)
    dog.feed(0.0)
    assert dog.level(age) == level


def test_watchdog_that_was_never_fed_holds():
    dog = Watchdog(0.2, 0.5)
    assert dog.level(0.0) == Level.HOLD
    dog.feed(1.0)
    dog.forget()
    assert dog.level(1.0) == Level.HOLD


def test_watchdog_recovers_alone():
    dog = Watchdog(0.2, 0.5)
    dog.feed(0.0)
    assert dog.level(3.0) == Level.HOLD
    dog.feed(3.0)
    assert dog.level(3.1) == Level.OK


def test_watchdogs_flag_each_input_by_name():
    dogs = Watchdogs({'joint_states': (0.05, 0.1), 'camera_base': (0.2, 0.5)})
    dogs.feed('joint_states', 1.0)
    dogs.feed('camera_base', 1.0)
    assert dogs.flags(1.3) == {'joint_states_age': Level.HOLD, 'camera_base_age': Level.WARN}
    assert dogs.ages(1.5)['camera_base'] == pytest.approx(0.5)
    dogs.forget()
    assert dogs['camera_base'].level(1.5) == Level.HOLD


@pytest.mark.parametrize(('warn', 'hold'), [(0.0, 1.0), (0.5, 0.2), (-1.0, 1.0)])
def test_impossible_watchdog_is_refused(warn, hold):
    with pytest.raises(ConfigError, match='watchdog'):
        Watchdog(warn, hold)


def test_third_strike_is_a_fault():
    strikes = Strikes(3)
    levels = []
    for _ in range(4):
        levels.append(strikes.level)
        strikes.strike()
    assert levels == [Level.OK, Level.HOLD, Level.HOLD, Level.FAULT]


def test_success_forgives_strikes():
    strikes = Strikes(2)
    strikes.strike()
    strikes.clear()
    strikes.strike()
    assert strikes.level == Level.HOLD
    strikes.trip()
    assert strikes.level == Level.FAULT


def test_strikes_without_limit_are_refused():
    with pytest.raises(ConfigError, match='limit'):
        Strikes(0)
