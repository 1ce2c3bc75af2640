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
"""Rows of the fault matrix about the low-level policy: what it answers, and whether."""

import json

import numpy as np
import pytest
from std_srvs.srv import Trigger
from support.fake_robot import TurningPolicy
from support.messages import JOINT_NAMES
from support.node_graph import wait_for

from mem_vla_ros.policies.scripted_faults import FaultyPolicy
from mem_vla_ros.ros.conversions import seconds_from_stamp

# The warm-up of the node makes the first two calls.
FIRST = 2
FOR_EVER = range(FIRST, 10**6)


def make_policy(fault, at=FOR_EVER, **options):
    return FaultyPolicy(TurningPolicy(JOINT_NAMES), fault, at, **options)


def test_nan_or_jumping_action_is_rejected_whole_and_the_third_is_a_fault(start_loop, tmp_path):
    loop = start_loop(
        make_policy('jump', range(FIRST + 5, FIRST + 8)),
        executor={'fault_dump_folder': str(tmp_path)})
    assert loop.runs()
    assert loop.says('action_executor', 'jumping_action')
    assert loop.says('action_executor', 'FAULT rejected_chunks')
    assert loop.rests()
    loop.check()
    assert wait_for(lambda: list(tmp_path.glob('fault-*.json')))
    dump = json.loads(next(tmp_path.glob('fault-*.json')).read_text())
    assert 'rejected_chunks' in dump['causes']
    verdicts = [chunk['verdict'].partition(' ')[0] for chunk in dump['chunks']]
    assert verdicts[0] == 'taken'
    assert verdicts[-3:] == ['jumping_action'] * 3

    assert loop.graph.call(Trigger, 'action_executor/reset', Trigger.Request()).success
    assert loop.runs()
    loop.check()


def test_nan_action_does_not_leave_the_low_level(start_loop):
    loop = start_loop(make_policy('nan', range(FIRST + 2, FIRST + 5)))
    assert loop.says('low_level_policy', 'non_finite_action')
    assert loop.says('low_level_policy', 'FAULT policy_answers')
    assert loop.rests()
    loop.check()
    rows = [point.positions for message in loop.graph.received['action_chunk']
            for point in message.points]
    assert np.isfinite(rows).all()
    loop.graph.call(Trigger, 'low_level_policy/reset', Trigger.Request())
    assert loop.runs()


@pytest.mark.parametrize('calls', [(0,), (1,), (2,), (0, 1, 2, 3)])
def test_model_exception_is_caught_and_retried(start_loop, calls):
    loop = start_loop(make_policy('raise', {FIRST + call for call in calls}))
    assert loop.says('low_level_policy', 'scripted exception')
    assert loop.runs()
    assert wait_for(lambda: loop.states[-1].status == 'ok')
    assert [state.status for state in loop.states].count('failed') == len(calls)
    loop.check()


def test_fifth_model_exception_in_a_row_is_a_fault(start_loop):
    loop = start_loop(make_policy('raise'))
    assert loop.says('low_level_policy', 'FAULT policy_exceptions')
    assert wait_for(lambda: [state.status for state in loop.states] == ['failed'] * 5)
    assert not loop.robot.moves
    loop.check()


def test_model_too_slow_is_discarded_and_the_old_chunk_ends_at_rest(start_loop):
    loop = start_loop(
        make_policy('slow', {FIRST + 3}, slow_s=2.5), inference_deadline=10.0)
    assert loop.runs()
    assert wait_for(lambda: any(state.status == 'late' for state in loop.states))
    assert loop.says('low_level_policy', 'late: answer after')
    late = {round(state.stamp, 6) for state in loop.states if state.status == 'late'}
    published = {round(seconds_from_stamp(message.header.stamp), 6)
                 for message in loop.graph.received['action_chunk']}
    assert not late & published
    loop.check()
    assert loop.runs()


def test_model_hangs_until_the_deadline_names_it(start_loop):
    policy = make_policy('hang', {FIRST + 3})
    loop = start_loop(policy, inference_deadline=0.5)
    assert loop.runs()
    assert loop.says('low_level_policy', 'inference_deadline')
    assert loop.says('action_executor', 'HOLD chunk_age')
    assert loop.rests()
    loop.check()
    policy.release()
    assert loop.runs()
    loop.check()


class ForgetfulPolicy(TurningPolicy):
    """Has memory for the present only, or for nothing at all."""

    def __init__(self, frames_that_fit):
        super().__init__(JOINT_NAMES, frames=4, stride=0.2)
        self.frames_that_fit = frames_that_fit

    def predict(self, observation, subtask, goal, committed):
        if observation.stamp and len(observation.joints.stamps) > self.frames_that_fit:
            raise MemoryError('scripted')
        return super().predict(observation, subtask, goal, committed)


def test_out_of_memory_is_retried_with_less_history(start_loop):
    loop = start_loop(ForgetfulPolicy(frames_that_fit=1))
    assert loop.runs()
    assert 'ok' in {state.status for state in loop.states}
    assert not loop.graph.says('low_level_policy', 'out_of_memory')
    loop.check()


def test_out_of_memory_again_is_a_fault(start_loop):
    loop = start_loop(ForgetfulPolicy(frames_that_fit=0))
    assert loop.says('low_level_policy', 'out_of_memory')
    assert loop.says('low_level_policy', 'FAULT policy_exceptions')
    assert not loop.robot.moves
    loop.check()
