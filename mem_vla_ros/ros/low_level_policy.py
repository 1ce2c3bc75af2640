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

"""
Node ``low_level_policy``: the last seconds of video and joint states to action chunks.

Callbacks only store; inference runs in the worker. ``ll_state`` tells for every chunk what it
was made from.
"""

import math
import time
from typing import Any

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from std_msgs.msg import Bool, String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from mem_vla_ros.core.errors import TextRejected
from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.core.states import HighLevelState, StateRejected
from mem_vla_ros.core.text import clean_line, MAX_GOAL_CHARS, MAX_SUBTASK_CHARS
from mem_vla_ros.execution.chunking import MODES, RealTimeChunking
from mem_vla_ros.execution.history import History
from mem_vla_ros.execution.level import Level
from mem_vla_ros.execution.safety_gate import SafetyGate
from mem_vla_ros.execution.watchdog import Watchdogs
from mem_vla_ros.policies.guarded_policy import GuardedPolicy
from mem_vla_ros.policies.low_level_loop import LowLevelLoop
from mem_vla_ros.ros.backends import LOW_LEVEL_BACKENDS, make_low_level
from mem_vla_ros.ros.conversions import chunk_to_message
from mem_vla_ros.ros.goal_intake import GoalIntake
from mem_vla_ros.ros.health import WARN
from mem_vla_ros.ros.node_main import guarded, run_node
from mem_vla_ros.ros.observation_intake import ObservationIntake
from mem_vla_ros.ros.parameters import ParameterSpec
from mem_vla_ros.ros.policy_node import PolicyNode
from mem_vla_ros.ros.qos import EVENT, LATCHED, NEWEST

PARAMETERS = (
    ParameterSpec('robot_file', '', 'Robot file with joints and cameras.'),
    ParameterSpec('backend', 'scripted', 'What makes chunks.', choices=LOW_LEVEL_BACKENDS),
    ParameterSpec('checkpoint', '', 'Checkpoint folder of the memvla backend.'),
    ParameterSpec('scripted_fault', '',
                  'Tests only: a named failure of the scripted backend, such as nan@3.'),
    ParameterSpec('frames', 6, 'Frames per camera, the current one included.', 1, 64),
    ParameterSpec('stride', 1.0, 'Time between those frames [s].', 0.05, 60.0),
    ParameterSpec('image_size', 0,
                  'Side that images are resized to on arrival [px]; 0 is what the policy wants.',
                  0, 1024),
    ParameterSpec('chunking', 'hard', 'How a new chunk follows the running one.', choices=MODES),
    ParameterSpec('execution_horizon', 4,
                  'Rows that are executed before the next inference starts.', 1, 200),
    ParameterSpec('max_chunk_age', 1.0, 'Answers to older observations are dropped [s].',
                  0.05, 30.0),
    ParameterSpec('max_input_age', 0.5, 'Older images and joint states are stale [s].',
                  0.05, 10.0),
    ParameterSpec('max_input_lag', 0.2,
                  'How far an observation may lie before the newest joint state, waiting for '
                  'cameras [s]; 0 never waits.', 0.0, 10.0),
    ParameterSpec('input_warn', 0.2, 'WARN when a camera or the joints are silent [s].',
                  0.01, 10.0),
    ParameterSpec('inference_deadline', 2.0,
                  'A policy that thinks longer than this is reported as hung [s].', 0.05, 600.0),
    ParameterSpec('needs_subtask', True,
                  'Wait for a subtask; false acts from the goal alone while there is none.'),
    ParameterSpec('subtask_timeout', 30.0,
                  'HOLD when the high-level policy has been silent for this long [s]; 0 goes on '
                  'with the last subtask for ever.', 0.0, 3600.0),
)

_LOOK_PERIOD_S = 0.01
# Joints further from the running chunk than they move in this time do not follow it [s].
_STRAYED_S = 0.2
_HEALTH_PERIOD_S = 0.1


class LowLevelPolicyNode(PolicyNode):
    """Wires the low-level loop to its topics."""

    def __init__(self, **options: Any) -> None:
        super().__init__('low_level_policy', PARAMETERS, **options)

    def configure(self) -> None:
        """Load the policy, warm it up, and subscribe."""
        values = self.node_parameters.checked()
        robot = load_robot(values.robot_file)
        policy = make_low_level(self, values, robot)
        side = values.image_size or policy.image_size
        size = (side, side) if side else None
        history = History(
            robot.camera_names, robot.joint_names, policy.frames, policy.stride,
            image_size=size, max_age=values.max_input_age, max_lag=values.max_input_lag)
        self._loop = LowLevelLoop(
            GuardedPolicy(policy, robot.joint_names), history,
            RealTimeChunking(
                values.chunking, policy.dt, policy.horizon,
                min(values.execution_horizon, policy.horizon - 1),
                max_deviation=robot.limits.velocity * _STRAYED_S),
            max_chunk_age=values.max_chunk_age, needs_subtask=values.needs_subtask)
        self._loop.warm_up(size or (224, 224))
        self._deadline = values.inference_deadline
        self._subtask_timeout = values.subtask_timeout or math.inf
        self._told_at = math.inf
        self._executor_holds = False
        self._complete = False
        self._gate = SafetyGate()
        self._watchdogs = Watchdogs(dict.fromkeys(
            (*robot.camera_names, 'joint_states'), (values.input_warn, values.max_input_age)))
        self._chunks = self.create_publisher(JointTrajectory, 'action_chunk', NEWEST)
        self._states = self.create_publisher(String, 'll_state', EVENT)
        self._intake = ObservationIntake(
            self, robot, self._loop, self._loop.reset,
            lambda source: self._watchdogs.feed(source, time.monotonic()))
        self._goal = GoalIntake(self, self._on_goal)
        self.create_subscription(String, 'subtask', self._on_subtask, LATCHED)
        self.create_subscription(String, 'hl_state', self._on_high_level, LATCHED)
        self.create_subscription(Bool, 'hold_state', self._on_hold, LATCHED)
        self.create_service(Trigger, '~/reset', self._on_reset)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Watch the inputs, then work."""
        self._health_timer = self.create_timer(
            _HEALTH_PERIOD_S, self._check_health, clock=Clock(clock_type=ClockType.STEADY_TIME))
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Rest."""
        self.destroy_timer(self._health_timer)
        return super().on_deactivate(state)

    def work(self) -> float:
        """Run one inference if one is due, and publish its outcome."""
        step = self._loop.step(self.now(), self.now)
        if step is None:
            return _LOOK_PERIOD_S
        if step.chunk is not None:
            self._chunks.publish(chunk_to_message(step.chunk))
        else:
            self.health.count_fault(step.state.status, step.state.error)
        self._states.publish(String(data=step.state.to_json()))
        return 0.0

    @guarded
    def _check_health(self) -> None:
        steady = time.monotonic()
        self._rest_if_held()
        missing = self._loop.missing(self.now())
        if missing and not self._complete:
            self.health.set_level(WARN, f'waiting for {", ".join(missing)}')
            return
        self._complete = True
        flags = self._watchdogs.flags(steady) | self._loop.flags()
        if self._loop.busy_s(time.perf_counter()) > self._deadline:
            flags['inference_deadline'] = Level.HOLD
        if self._is_abandoned():
            flags['subtask_timeout'] = Level.HOLD
        level = self._gate.update(steady, flags)
        self.health.show_gate(level, self._gate.reasons)

    @guarded
    def _on_goal(self, text: str) -> None:
        try:
            self._loop.set_goal(clean_line(text, 'goal', MAX_GOAL_CHARS))
        except TextRejected as error:
            self.health.count_fault('rejected goal', str(error))

    @guarded
    def _on_subtask(self, message: String) -> None:
        try:
            self._loop.set_subtask(
                clean_line(message.data, 'subtask', MAX_SUBTASK_CHARS, allow_empty=True))
        except TextRejected as error:
            self.health.count_fault('rejected subtask', str(error))
        self.wake()

    @guarded
    def _on_high_level(self, message: String) -> None:
        try:
            state = HighLevelState.from_json(message.data)
        except StateRejected as error:
            self.health.count_fault('rejected hl_state', str(error))
            return
        self._told_at = time.monotonic()
        self._loop.set_episode(state.episode)

    @guarded
    def _on_hold(self, message: Bool) -> None:
        self._executor_holds = message.data
        self._rest_if_held()

    def _rest_if_held(self) -> None:
        self._loop.set_hold(self._executor_holds or self._is_abandoned())

    def _is_abandoned(self) -> bool:
        return time.monotonic() - self._told_at > self._subtask_timeout

    @guarded
    def _on_reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._loop.reset()
        self._gate.reset()
        response.success = True
        response.message = 'history and faults forgotten'
        return response


def main() -> int:
    """Run the node."""
    return run_node(LowLevelPolicyNode)
