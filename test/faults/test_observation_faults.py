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
"""Rows of the fault matrix about images and joint states."""

import math
import random

import numpy as np
import pytest
from support.messages import HOME, JOINT_NAMES, make_image, make_joint_state
from support.node_graph import wait_for

from mem_vla_ros.ros.conversions import seconds_from_stamp, stamp_from_seconds
from mem_vla_ros.ros.low_level_policy import LowLevelPolicyNode
from mem_vla_ros.ros.qos import SENSOR

BASE = 'cameras/base/image'
FUZZED_FRAMES = 1000
# Bad frames between two good ones; the topic keeps five.
QUEUE = 4


def test_camera_drop_out_holds_by_name_and_resumes_alone(start_loop):
    loop = start_loop()
    assert loop.runs()
    loop.robot.silent = {'rear'}
    assert loop.says('low_level_policy', 'HOLD rear_age')
    assert loop.says('action_executor', 'HOLD chunk_age')
    assert loop.rests()
    loop.check()
    for state in loop.states:
        assert state.stamp - state.frame_stamps['rear'][-1] <= 0.5
    loop.robot.silent = set()
    assert loop.runs()
    loop.check()


@pytest.mark.parametrize('offset, word', [(-2.0, 'stale'), (1.0, 'future')])
def test_stale_or_future_stamp_is_refused_and_holds(start_loop, offset, word):
    loop = start_loop()
    assert loop.runs()
    loop.robot.stamp_offset = offset
    assert loop.says('low_level_policy', f'{word}_image base')
    assert loop.says('low_level_policy', f'{word}_joints joint_states')
    assert loop.says('low_level_policy', 'HOLD')
    assert loop.rests()
    loop.check()
    loop.robot.stamp_offset = 0.0
    assert loop.runs()


def test_out_of_order_stamps_drop_the_older_frame(graph):
    node = graph.start(LowLevelPolicyNode)
    now = seconds_from_stamp(graph.now())
    for late in (0.2, 0.1, 0.0, 0.05):
        graph.send(BASE, make_image(stamp_from_seconds(now - late)), SENSOR)
        assert wait_for(lambda age=late: late_enough(node, now - age))
    assert wait_for(lambda: graph.says('low_level_policy', 'out_of_order_image base'))
    stamps = list(node._loop._history._frames['base'].stamps)
    assert stamps == sorted(stamps)
    assert stamps[-1] == pytest.approx(now, abs=1e-6)


def late_enough(node, stamp):
    newest = node._loop._history._frames['base'].newest
    return newest is not None and newest >= stamp - 1e-6


@pytest.mark.parametrize('encoding', ['32FC1', 'yuv422', '', 'rgb8; drop'])
def test_wrong_encoding_is_refused_with_those_that_are_accepted(graph, encoding):
    graph.start(LowLevelPolicyNode)
    graph.send(BASE, make_image(graph.now(), encoding=encoding), SENSOR)
    assert wait_for(lambda: graph.says('low_level_policy', 'wrong_encoding base'))
    assert wait_for(lambda: graph.says('low_level_policy', 'rgb8'))


@pytest.mark.parametrize('height, width', [(0, 0), (1, 1), (16, 5000)])
def test_wrong_size_is_refused(graph, height, width):
    node = graph.start(LowLevelPolicyNode)
    graph.send(BASE, make_image(
        graph.now(), height=height, width=width, step=3 * width,
        data=bytes(3 * height * width)), SENSOR)
    assert wait_for(lambda: graph.says('low_level_policy', 'size base'))
    assert node._loop._history._frames['base'].newest is None


def test_truncated_data_never_ends_the_node(graph):
    frames = graph.start(LowLevelPolicyNode)._loop._history._frames['base']
    rng = random.Random(0)
    for _ in range(FUZZED_FRAMES // QUEUE):
        for _ in range(QUEUE):
            graph.send(BASE, make_image(graph.now(), **fuzzed_fields(rng)), SENSOR)
        sent = graph.now()
        assert wait_for(lambda since=sent: takes_a_good_frame(graph, frames, since))
    assert graph.says('low_level_policy', 'truncated_image base')


def takes_a_good_frame(graph, frames, since):
    graph.send(BASE, make_image(graph.now()), SENSOR)
    return frames.newest is not None and frames.newest > seconds_from_stamp(since)


def fuzzed_fields(rng):
    """Return a few fields of an image that do not fit together."""
    size = rng.randrange(0, 32 * 32 * 3)
    fields = {
        'data': rng.randbytes(size), 'step': rng.randrange(0, 2**16),
        'height': rng.randrange(0, 2**31), 'width': rng.randrange(0, 2**31),
        'encoding': rng.choice(['rgb8', 'bgr8', 'mono8', 'bgra8', '16UC1', '\x00']),
        'is_bigendian': rng.randrange(2)}
    names = rng.sample(sorted(fields), rng.randrange(1, 4))
    return {'data': rng.randbytes(size)} | {name: fields[name] for name in names}


@pytest.mark.parametrize('value', [math.nan, math.inf])
def test_nan_inf_joint_states_are_refused_and_hold(start_loop, value):
    loop = start_loop()
    assert loop.runs()
    loop.robot.joints_changes = {'position': [value, *HOME[1:]]}
    assert loop.says('action_executor', "not finite: ['joint_1']")
    assert loop.says('action_executor', 'HOLD joint_states_age')
    assert loop.rests()
    loop.check()
    loop.robot.joints_changes = {}
    assert loop.runs()


def test_missing_joints_hold_and_are_listed(start_loop):
    loop = start_loop()
    assert loop.runs()
    loop.robot.joints_changes = {'name': list(JOINT_NAMES[:-1]), 'position': list(HOME[:-1])}
    assert loop.says('action_executor', "missing ['gripper']")
    assert loop.says('action_executor', 'HOLD joint_states_age')
    assert loop.rests()
    loop.check()


def test_reordered_joints_give_the_same_observation(graph):
    joints = graph.start(LowLevelPolicyNode)._loop._history._joints
    rng = np.random.default_rng(0)
    for count in range(1, 6):
        order = rng.permutation(len(HOME))
        graph.send('joint_states', make_joint_state(
            graph.now(), [HOME[i] for i in order], [JOINT_NAMES[i] for i in order]), SENSOR)
        assert wait_for(lambda wanted=count: len(joints.stamps) == wanted)
        assert joints[count - 1].tolist() == list(HOME)
