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
"""A loop of fake robot, low-level policy and executor in process, with any policy."""

from contextlib import ExitStack

import pytest
from std_msgs.msg import String
from support.command_audit import assert_all_safe
from support.fake_robot import FakeRobot, TurningPolicy
from support.messages import JOINT_NAMES
from support.node_graph import NodeGraph, wait_for
from trajectory_msgs.msg import JointTrajectory

from mem_vla_ros.core.states import LowLevelState
from mem_vla_ros.ros.action_executor import ActionExecutor
from mem_vla_ros.ros.conversions import chunk_from_message, seconds_from_stamp
from mem_vla_ros.ros.low_level_policy import LowLevelPolicyNode
from mem_vla_ros.ros.qos import EVENT, LATCHED, NEWEST

# Longer than a loaded machine needs; conditions come true within about a second.
PATIENCE_S = 20.0


class Loop:
    """What a test sees of the loop."""

    def __init__(self, graph, robot, executor, low_level):
        self.graph = graph
        self.robot = robot
        self.executor = executor
        self.low_level = low_level

    def runs(self):
        """Return whether the arm comes to move."""
        return wait_for(lambda: self.robot.moves, PATIENCE_S)

    def says(self, node, text):
        """Return whether the diagnostics of a node come to say something new."""
        return wait_for(lambda: self.graph.says(node, text), PATIENCE_S)

    def rests(self):
        """Return whether the arm comes to rest."""
        return wait_for(lambda: not self.robot.moves, PATIENCE_S)

    def forget(self):
        """Forget what the diagnostics have said so far."""
        self.graph.received['/diagnostics'].clear()

    @property
    def states(self):
        """Return all states of the low level."""
        return [LowLevelState.from_json(message.data)
                for message in self.graph.received['ll_state']]

    def check(self):
        """Fail if any command so far breaks an invariant, or outlives the last chunk."""
        commands = list(self.robot.commands)
        assert_all_safe(commands)
        moving = [seconds_from_stamp(command.header.stamp) for command in commands
                  if any(any(point.velocities) for point in command.points)]
        chunks = [chunk_from_message(message)
                  for message in list(self.graph.received['action_chunk'])]
        if moving and chunks:
            assert moving[-1] <= max(chunk.end for chunk in chunks) + 0.5


@pytest.fixture
def graph(domain_id):
    graph = NodeGraph()
    yield graph
    graph.close()


@pytest.fixture
def start_loop(graph, monkeypatch):
    """Return a function that starts the loop with a policy and parameters."""
    with ExitStack() as stack:
        def start(policy=None, simulated_time=False, executor=None, **low_level):
            policy = policy or TurningPolicy(JOINT_NAMES)
            monkeypatch.setattr(
                'mem_vla_ros.ros.low_level_policy.make_low_level', lambda *_: policy)
            graph.listen('ll_state', String, EVENT)
            graph.listen('gate_state', String, LATCHED)
            graph.listen('action_chunk', JointTrajectory, NEWEST)
            robot = stack.enter_context(FakeRobot(graph, simulated_time))
            clock = {'use_sim_time': True} if simulated_time else {}
            loop = Loop(
                graph, robot, graph.start(ActionExecutor, **clock, **(executor or {})),
                graph.start(LowLevelPolicyNode, **clock, **low_level))
            robot.tell_subtask()
            return loop
        yield start
