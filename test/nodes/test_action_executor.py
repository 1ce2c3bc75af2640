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

"""The executor node: follows good chunks, refuses bad ones, holds and resumes."""

from pathlib import Path

import numpy as np
import pytest
from std_msgs.msg import Bool, Float64MultiArray, String
from std_srvs.srv import SetBool, Trigger
from support.messages import HOME, JOINT_NAMES, make_joint_state
from support.node_graph import ROBOT_FILE, wait_for
from trajectory_msgs.msg import JointTrajectory
import yaml

from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.ros.action_executor import ActionExecutor
from mem_vla_ros.ros.conversions import chunk_to_message, seconds_from_stamp
from mem_vla_ros.ros.qos import LATCHED, NEWEST, SENSOR


class Arm:
    """Sends joint states and chunks as a robot and its policy would."""

    def __init__(self, graph, **parameters):
        self.graph = graph
        self.number = 0
        graph.listen('joint_command', JointTrajectory, NEWEST)
        graph.listen('gate_state', String, LATCHED)
        graph.listen('hold_state', Bool, LATCHED)
        self.node = graph.start(
            ActionExecutor, joint_states_hold=10.0, chunk_hold=10.0, **parameters)
        self.stand()

    def stand(self):
        self.graph.send('joint_states', make_joint_state(self.graph.now()), SENSOR)
        assert wait_for(lambda: self.graph.received['joint_command'])

    def send_chunk(self, offset=0.1, **changes):
        positions = np.tile(HOME, (16, 1))
        positions[:, 0] += np.linspace(0.0, offset, 16)
        fields = {
            'joint_names': JOINT_NAMES, 'stamp': seconds_from_stamp(self.graph.now()), 'dt': 0.1,
            'positions': positions, 'session': 's', 'episode': 'e', 'number': self.number}
        self.number += 1
        self.graph.send('action_chunk', chunk_to_message(ActionChunk(**fields | changes)), NEWEST)

    def reaches(self, position):
        return any(
            abs(point.positions[0] - position) < 1e-3
            for command in self.graph.received['joint_command'] for point in command.points)

    def gate(self, level):
        return any(f'"{level}"' in message.data for message in self.graph.received['gate_state'])


@pytest.fixture
def arm(graph):
    return Arm(graph)


def test_a_chunk_is_followed_to_its_end_and_every_command_ends_at_rest(arm):
    arm.send_chunk(offset=0.1)
    assert wait_for(lambda: arm.reaches(0.1))
    for command in arm.graph.received['joint_command']:
        assert seconds_from_stamp(command.points[-1].time_from_start) <= 0.5
        assert not any(command.points[-1].velocities)


def test_three_chunks_with_nan_are_a_fault_until_reset(arm):
    for strikes in range(3):
        arm.send_chunk(positions=np.full((16, 7), np.nan))
        assert wait_for(lambda count=strikes + 1: arm.node._player.bad_answers.count == count)
    assert wait_for(lambda: arm.gate('FAULT'))
    assert wait_for(lambda: arm.graph.says('action_executor', 'non_finite_action'))
    arm.graph.call(Trigger, 'action_executor/reset', Trigger.Request())
    arm.graph.received['gate_state'].clear()
    arm.send_chunk(offset=0.1)
    assert wait_for(lambda: arm.gate('OK') or arm.gate('WARN'))
    for command in arm.graph.received['joint_command']:
        assert np.isfinite([point.positions for point in command.points]).all()


def test_a_jumping_chunk_moves_nothing(arm):
    arm.send_chunk(positions=np.tile(HOME, (16, 1)) + 1.0)
    assert wait_for(lambda: arm.graph.says('action_executor', 'jumping_action')
                    or arm.graph.says('action_executor', 'position_limit'))
    assert {tuple(point.positions) for command in arm.graph.received['joint_command']
            for point in command.points} == {HOME}


def test_a_second_session_is_not_heard(arm):
    arm.send_chunk(offset=0.0)
    assert wait_for(lambda: arm.node._player.origin.session == 's')
    arm.send_chunk(offset=0.2, session='intruder')
    assert wait_for(lambda: arm.graph.says('action_executor', 'second_session'))
    assert not arm.reaches(0.2)


def test_hold_stops_the_arm_and_resume_lets_it_go_on(arm):
    answer = arm.graph.call(SetBool, 'action_executor/hold', SetBool.Request(data=True))
    assert answer.success
    assert wait_for(lambda: arm.graph.received['hold_state'][-1].data)
    arm.send_chunk(offset=0.1)
    assert wait_for(lambda: arm.gate('STOP'))
    arm.graph.call(SetBool, 'action_executor/hold', SetBool.Request(data=False))
    assert wait_for(lambda: not arm.graph.received['hold_state'][-1].data)
    arm.send_chunk(offset=0.1)
    assert wait_for(lambda: arm.reaches(0.1))


def test_a_forward_controller_gets_positions(graph, tmp_path):
    robot = yaml.safe_load(Path(ROBOT_FILE).read_text())
    robot['command'] = {'type': 'forward', 'topic': 'forward_command'}
    (tmp_path / 'robot.yaml').write_text(yaml.safe_dump(robot))
    graph.listen('forward_command', Float64MultiArray, NEWEST)
    graph.start(ActionExecutor, robot_file=str(tmp_path / 'robot.yaml'))
    graph.send('joint_states', make_joint_state(graph.now()), SENSOR)
    assert wait_for(lambda: graph.received['forward_command'])
    assert list(graph.received['forward_command'][-1].data) == pytest.approx(HOME)
