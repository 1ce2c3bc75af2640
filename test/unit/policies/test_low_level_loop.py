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

"""Tests of the low-level loop, with time fed by hand."""

from dataclasses import replace
from threading import Event, Thread

import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError, PolicyError
from mem_vla_ros.core.states import LowLevelState
from mem_vla_ros.execution.chunking import RealTimeChunking
from mem_vla_ros.execution.delay_forecast import DelayForecast
from mem_vla_ros.execution.history import History
from mem_vla_ros.execution.level import Level
from mem_vla_ros.policies.constant import ConstantPolicy
from mem_vla_ros.policies.guarded_policy import GuardedPolicy
from mem_vla_ros.policies.low_level_loop import LoopStep, LowLevelLoop
from mem_vla_ros.policies.scripted_faults import FAULTS, FaultyPolicy

JOINTS = ('shoulder', 'elbow')


class Recorder(ConstantPolicy):
    """A constant policy that remembers what it was asked, and may do something meanwhile."""

    def __init__(self, meanwhile=lambda: None) -> None:
        super().__init__(JOINTS, frames=2, stride=0.5)
        self.asked = []
        self.resets = 0
        self.meanwhile = meanwhile

    def predict(self, observation, subtask, goal, committed):
        self.asked.append((observation, subtask, goal, committed))
        self.meanwhile()
        return super().predict(observation, subtask, goal, committed)

    def reset(self):
        self.resets += 1


class Rig:
    """A loop with one camera and a clock that moves only by hand."""

    def __init__(self, policy=None, mode='rtc_guided', **settings) -> None:
        self.policy = policy or Recorder()
        self.now = 0.0
        self.thinking_s = 0.15
        self.guard = GuardedPolicy(self.policy, JOINTS)
        self.chunking = RealTimeChunking(
            mode, 0.1, 16, execution_horizon=5, transport_s=0.0,
            forecast=DelayForecast(initial=1))
        self.loop = LowLevelLoop(
            self.guard, History(('base',), JOINTS, 2, 0.5), self.chunking, session='me',
            steady=lambda: self.now, **settings)
        self.loop.set_episode('one')
        self.loop.set_subtask('open the drawer')

    def observe(self, position=(0.1, 0.2)) -> None:
        image = np.zeros((16, 16, 3), np.uint8)
        assert self.loop.add_frame('base', self.now, image, self.now) is None
        assert self.loop.add_joints(self.now, JOINTS, position, self.now) is None

    def step(self) -> LoopStep | None:
        """Think for a while; the clock is read when the answer is there."""
        return self.loop.step(self.now, self._think)

    def _think(self) -> float:
        self.now += self.thinking_s
        return self.now

    def run(self, seconds: float) -> list[LoopStep]:
        steps = []
        end = self.now + seconds
        while self.now < end:
            self.now += 0.05
            self.observe()
            step = self.step()
            if step is not None:
                steps.append(step)
        return steps


def test_first_observation_gives_a_chunk_with_its_provenance():
    rig = Rig()
    rig.loop.set_goal('find the mug')
    rig.now = 7.0
    rig.observe()
    chunk, state = rig.step()
    assert (chunk.stamp, chunk.session, chunk.episode, chunk.number) == (7.0, 'me', 'one', 0)
    np.testing.assert_allclose(chunk.positions, np.tile([0.1, 0.2], (16, 1)))
    assert state == LowLevelState(
        session='me', episode='one', chunk=0, stamp=7.0, dt=0.1, rows=16, goal='find the mug',
        subtask='open the drawer', frame_stamps={'base': [None, 7.0]}, joint_stamps=[None, 7.0],
        spacing_error_s=0.0, delay_steps=2, forecast_delay_steps=1, chunking='rtc_guided',
        timings_s=state.timings_s, stride=0.5, grain=0.1)
    assert set(state.timings_s) == {'observe', 'predict'}
    assert LowLevelState.from_json(state.to_json()) == state


def test_loop_waits_for_observation_and_subtask():
    rig = Rig()
    rig.loop.set_subtask('')
    assert rig.loop.missing(0.0) == ('joint_states', 'subtask')
    rig.observe()
    assert rig.step() is None
    assert rig.loop.missing(0.0) == ('subtask',)
    rig.loop.set_subtask('open the drawer')
    assert rig.step() is not None


def test_policy_without_need_of_subtasks_runs_without():
    rig = Rig(needs_subtask=False)
    rig.loop.set_subtask('')
    rig.observe()
    assert rig.step() is not None


def test_chunks_are_numbered_and_come_every_execution_horizon():
    rig = Rig()
    steps = rig.run(3.0)
    stamps = [step.chunk.stamp for step in steps]
    assert [step.chunk.number for step in steps] == list(range(len(steps)))
    np.testing.assert_allclose(np.diff(stamps), 0.5, atol=0.051)


def test_next_inference_gets_what_is_left_of_the_running_chunk():
    rig = Rig()
    rig.run(1.0)
    committed = rig.policy.asked[-1][3]
    assert rig.policy.asked[0][3] is None
    assert len(committed.positions) == 11
    assert committed.delay == 3


def test_hard_switch_commits_nothing():
    rig = Rig(mode='hard')
    rig.run(1.5)
    assert all(asked[3] is None for asked in rig.policy.asked)


def test_newest_observation_wins():
    rig = Rig()
    for rig.now in (1.0, 1.1, 1.2):
        rig.observe((rig.now, 0.0))
    rig.step()
    assert len(rig.policy.asked) == 1
    assert rig.policy.asked[0][0].position[0] == 1.2


def test_same_observation_is_not_used_twice():
    rig = Rig()
    rig.observe()
    assert rig.step() is not None
    rig.loop.set_subtask('close the drawer')
    assert rig.step() is None


@pytest.mark.parametrize('change', [
    lambda loop: loop.set_subtask('close the drawer'), lambda loop: loop.set_goal('tidy up')])
def test_change_of_subtask_or_goal_makes_the_next_inference_due(change):
    rig = Rig()
    rig.observe()
    rig.step()
    rig.now += 0.05
    rig.observe()
    assert rig.step() is None
    change(rig.loop)
    assert rig.step() is not None


def test_repeated_subtask_changes_nothing():
    rig = Rig()
    rig.observe()
    rig.step()
    rig.now += 0.05
    rig.observe()
    rig.loop.set_subtask('open the drawer')
    assert rig.step() is None


def test_answer_for_an_old_episode_is_dropped():
    rig = Rig()
    rig.policy.meanwhile = lambda: rig.loop.set_episode('two')
    rig.observe()
    assert rig.step() is None
    assert rig.chunking.running is None
    rig.policy.meanwhile = lambda: None
    rig.observe()
    chunk, state = rig.step()
    assert chunk.episode == state.episode == 'two'


def test_new_episode_resets_the_policy_and_empties_the_history():
    rig = Rig()
    rig.run(1.0)
    before = rig.policy.resets
    rig.loop.set_episode('two')
    began = rig.now
    assert rig.loop.missing(rig.now) == ('joint_states',)
    rig.observe()
    _, state = rig.step()
    assert rig.policy.resets == before + 1
    assert state.frame_stamps['base'][0] is None
    assert state.since <= began


def test_same_episode_again_changes_nothing():
    rig = Rig()
    rig.run(1.0)
    rig.loop.set_episode('one')
    assert rig.loop.missing(rig.now) == ()


def test_reset_without_a_name_keeps_the_episode():
    rig = Rig()
    rig.run(1.0)
    rig.loop.reset()
    rig.observe()
    assert rig.step().chunk.episode == 'one'


def test_clock_jump_starts_over():
    rig = Rig()
    rig.now = 100.0
    rig.observe()
    rig.step()
    rig.now = 1.0
    fault = rig.loop.add_joints(1.0, JOINTS, (0.0, 0.0), 1.0)
    assert fault.name == 'clock_jumped'
    rig.observe()
    assert rig.step().chunk.stamp == 1.0
    assert rig.policy.asked[-1][3] is None


def test_held_loop_rests_and_starts_cold():
    rig = Rig()
    rig.run(1.0)
    rig.loop.set_hold(True)
    assert rig.run(1.0) == []
    rig.loop.set_hold(False)
    assert rig.run(0.2)[0].chunk is not None
    assert rig.policy.asked[-1][3] is None


def test_held_policy_keeps_its_memory():
    rig = Rig()
    rig.run(1.0)
    before = rig.policy.resets
    rig.loop.set_hold(True)
    rig.loop.set_hold(False)
    assert len(rig.run(0.2)) > 0
    assert rig.policy.resets == before


def test_answer_that_was_under_way_when_held_is_dropped():
    rig = Rig()
    rig.policy.meanwhile = lambda: rig.loop.set_hold(True)
    rig.observe()
    assert rig.step() is None


def test_late_answer_is_discarded_and_enters_the_forecast():
    rig = Rig(max_chunk_age=1.0)
    rig.thinking_s = 1.2
    rig.observe()
    chunk, state = rig.step()
    assert chunk is None
    assert state.status == 'late'
    assert state.delay_steps == rig.chunking.forecast.steps == 12
    assert rig.chunking.running is None


def test_exception_is_caught_counted_and_named():
    rig = Rig(FaultyPolicy(Recorder(), 'raise', at=[0]))
    rig.observe()
    chunk, state = rig.step()
    assert chunk is None
    assert (state.status, state.error) == ('failed', 'RuntimeError: scripted exception at call 0')
    assert rig.loop.flags()['policy_exceptions'] == Level.HOLD
    steps = rig.run(0.5)
    assert steps[0].state.status == 'ok'
    assert rig.loop.flags()['policy_exceptions'] == Level.OK


def test_failures_back_off_and_the_fifth_is_a_fault():
    rig = Rig(FaultyPolicy(Recorder(), 'raise'))
    rig.thinking_s = 0.0
    steps = rig.run(10.0)
    gaps = np.diff([step.state.stamp for step in steps])
    assert len(steps) == 5
    np.testing.assert_allclose(gaps, [0.1, 0.2, 0.4, 0.8], atol=0.051)
    assert rig.loop.flags()['policy_exceptions'] == Level.FAULT
    rig.loop.reset('two')
    assert rig.loop.flags()['policy_exceptions'] == Level.OK
    assert len(rig.run(0.2)) > 0


@pytest.mark.parametrize('good', range(4))
def test_exception_at_the_nth_call_never_leaves_the_loop(good):
    rig = Rig(FaultyPolicy(Recorder(), 'raise', at=[good]))
    statuses = [step.state.status for step in rig.run(4.0)]
    assert statuses.count('failed') == 1
    assert statuses.index('failed') == good
    assert statuses[-1] == 'ok'


def test_chunk_that_is_not_finite_is_rejected_and_the_third_is_a_fault():
    rig = Rig(FaultyPolicy(Recorder(), 'nan'))
    steps = rig.run(3.0)
    assert [step.state.status for step in steps] == ['non_finite_action'] * 3
    assert all(step.chunk is None for step in steps)
    assert rig.loop.flags()['policy_answers'] == Level.FAULT


@pytest.mark.parametrize('spoil', [
    lambda chunk: replace(chunk, positions=chunk.positions[:-1]),
    lambda chunk: replace(chunk, joint_names=JOINTS[::-1]),
    lambda chunk: replace(chunk, stamp=chunk.stamp + 1.0),
    lambda chunk: replace(chunk, dt=0.2)])
def test_malformed_answer_is_rejected(spoil):
    class Malformed(Recorder):
        def predict(self, *arguments):
            return spoil(super().predict(*arguments))

    rig = Rig(Malformed())
    rig.observe()
    chunk, state = rig.step()
    assert chunk is None
    assert state.status == 'malformed_chunk'


@pytest.mark.parametrize('error', [MemoryError(), type('OutOfMemoryError', (RuntimeError,), {})()])
def test_out_of_memory_is_retried_once_without_the_past(error):
    class Hungry(Recorder):
        def predict(self, observation, *rest):
            if len(observation.joints.stamps) > 1:
                raise error
            return super().predict(observation, *rest)

    rig = Rig(Hungry())
    rig.observe()
    assert rig.step().state.status == 'ok'
    assert rig.policy.asked[0][0].cameras['base'].images.shape == (1, 16, 16, 3)


def test_out_of_memory_again_is_a_fault():
    class Starving(Recorder):
        def predict(self, *arguments):
            raise MemoryError('no more')

    rig = Rig(Starving())
    rig.observe()
    assert rig.step().state.status == 'out_of_memory'
    assert rig.loop.flags()['policy_exceptions'] == Level.FAULT


def test_hanging_policy_blocks_no_input_and_shows_for_how_long():
    entered = Event()

    class Hanging(FaultyPolicy):
        def predict(self, *arguments):
            entered.set()
            return super().predict(*arguments)

    rig = Rig(Hanging(Recorder(), 'hang'))
    rig.observe()
    worker = Thread(target=rig.step)
    worker.start()
    assert entered.wait(5.0)
    rig.now = 2.0
    rig.observe()
    rig.loop.set_subtask('close the drawer')
    assert rig.loop.busy_s(2.0) == pytest.approx(2.0)
    rig.policy.release()
    worker.join(5.0)
    assert not worker.is_alive()
    assert rig.loop.busy_s(3.0) == 0.0


def test_slow_policy_is_late_by_the_time_it_sleeps():
    rig = Rig()
    rig.policy = FaultyPolicy(
        Recorder(), 'slow', slow_s=1.5, sleep=lambda s: setattr(rig, 'now', rig.now + s))
    rig.guard.policy = rig.policy
    rig.thinking_s = 0.0
    rig.observe()
    assert rig.step().state.status == 'late'


def test_jumping_policy_answers_far_away():
    rig = Rig(FaultyPolicy(Recorder(), 'jump', jump=1.0))
    rig.observe((0.1, 0.2))
    np.testing.assert_allclose(rig.step().chunk.positions[0], [1.1, 0.2])


def test_unknown_fault_is_refused():
    with pytest.raises(ConfigError, match=FAULTS[0]):
        FaultyPolicy(Recorder(), 'explode')


def test_warm_up_feeds_the_forecast_and_leaves_no_trace():
    rig = Rig()
    rig.policy.meanwhile = lambda: setattr(rig, 'now', rig.now + 0.35)
    assert rig.loop.warm_up() == pytest.approx(0.35)
    assert len(rig.policy.asked) == 2
    assert rig.policy.resets == 1
    assert rig.chunking.forecast.steps == 4
    assert rig.chunking.running is None


def test_policy_that_refuses_blank_observations_is_not_broken():
    class Picky(Recorder):
        def predict(self, *arguments):
            raise PolicyError('no drawer to be seen')

    assert Rig(Picky()).loop.warm_up() == 0.0


def test_policy_that_breaks_in_warm_up_is_reported():
    with pytest.raises(RuntimeError, match='scripted'):
        Rig(FaultyPolicy(Recorder(), 'raise')).loop.warm_up()


def test_chunking_for_other_rows_is_refused():
    policy = Recorder()
    with pytest.raises(ConfigError, match='16 rows'):
        LowLevelLoop(
            GuardedPolicy(policy, JOINTS), History(('base',), JOINTS, 2, 0.5),
            RealTimeChunking('hard', 0.05, 16, 5))
