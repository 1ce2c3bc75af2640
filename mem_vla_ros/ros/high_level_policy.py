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
Node ``high_level_policy``: subtask and language memory, about once a second.

The episode belongs to this node: ``~/reset`` begins a new one, and its id travels in
``hl_state`` to everything else.
"""

from pathlib import Path
import time
from typing import Any

from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from std_msgs.msg import String, UInt32
from std_srvs.srv import Trigger

from mem_vla_ros.core.errors import MemVlaError
from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.execution.history import History
from mem_vla_ros.memory.episode_store import EpisodeStore
from mem_vla_ros.memory.journal import Journal
from mem_vla_ros.memory.memory_budget import MemoryBudget
from mem_vla_ros.policies.high_level_loop import HighLevelLoop
from mem_vla_ros.policies.high_level_settings import HighLevelSettings, MEMORY_MODES
from mem_vla_ros.ros.backends import HIGH_LEVEL_BACKENDS, make_high_level
from mem_vla_ros.ros.goal_intake import GoalIntake
from mem_vla_ros.ros.health import OK, WARN
from mem_vla_ros.ros.node_main import guarded, run_node
from mem_vla_ros.ros.observation_intake import ObservationIntake
from mem_vla_ros.ros.parameters import ParameterSpec
from mem_vla_ros.ros.policy_node import PolicyNode
from mem_vla_ros.ros.qos import EVENT, LATCHED, LATCHED_STATES

PARAMETERS = (
    ParameterSpec('robot_file', '', 'Robot file with joints and cameras.'),
    ParameterSpec('backend', 'scripted', 'What decides.', choices=HIGH_LEVEL_BACKENDS),
    ParameterSpec('checkpoint', '', 'Checkpoint folder of the memvla backend.'),
    ParameterSpec('backend_config', '', 'YAML file of the vlm or openai backend.'),
    ParameterSpec('default_goal', '', 'Goal until one arrives on the topic; empty waits.'),
    ParameterSpec('period', 1.0, 'Time between two decisions when nothing happens [s].',
                  0.05, 60.0),
    ParameterSpec('memory_mode', 'language',
                  'language: written by the policy; naive: all past subtasks; none: no memory.',
                  choices=MEMORY_MODES),
    ParameterSpec('memory_max_chars', 1000, 'Budget of the memory in characters.', 10, 2000),
    ParameterSpec('memory_max_tokens', 250, 'Budget of the memory in tokens.', 5, 2000),
    ParameterSpec('journal', '',
                  'Folder of the memory journal, from which a restart resumes the episode; '
                  'empty keeps the memory in RAM only.'),
    ParameterSpec('episode_store', '',
                  'SQLite file with the memories of closed episodes, recalled for a new goal; '
                  'empty turns that off.'),
    ParameterSpec('max_input_age', 0.5, 'Older images and joint states are stale [s].',
                  0.05, 10.0),
    ParameterSpec('max_input_lag', 0.2,
                  'How far an observation may lie before the newest joint state, waiting for '
                  'cameras [s]; 0 never waits.', 0.0, 10.0),
)

_LOOK_PERIOD_S = 0.05


class HighLevelPolicyNode(PolicyNode):
    """Wires the high-level loop to its topics."""

    def __init__(self, **options: Any) -> None:
        super().__init__('high_level_policy', PARAMETERS, **options)
        self._loop: HighLevelLoop | None = None

    def configure(self) -> None:
        """Load the backend, restore the memory, and subscribe."""
        values = self.node_parameters.checked()
        robot = load_robot(values.robot_file)
        policy = make_high_level(self, values, robot)
        side = policy.image_size
        self._history = History(
            robot.camera_names, robot.joint_names, policy.frames, policy.stride,
            image_size=(side, side) if side else None, max_age=values.max_input_age,
            max_lag=values.max_input_lag)
        self._journal = Journal(Path(values.journal)) if values.journal else None
        self._loop = HighLevelLoop(
            policy, values.backend,
            HighLevelSettings(
                memory_mode=values.memory_mode, period_s=values.period,
                budget=MemoryBudget(values.memory_max_chars, values.memory_max_tokens),
                retry_keeps_memory=values.backend in ('vlm', 'openai')),
            self._journal,
            EpisodeStore(Path(values.episode_store)) if values.episode_store else None)
        self._default_goal = values.default_goal
        self._subtask = self.create_publisher(String, 'subtask', LATCHED)
        self._memory = self.create_publisher(String, 'memory', LATCHED)
        self._state = self.create_publisher(String, 'hl_state', LATCHED_STATES)
        self._intake = ObservationIntake(self, robot, self._history, self._end_episode)
        self._goal = GoalIntake(self, self._on_goal)
        self.create_subscription(String, '~/set_memory', self._on_set_memory, EVENT)
        self.create_subscription(UInt32, '~/roll_back', self._on_roll_back, EVENT)
        self.create_service(Trigger, '~/reset', self._on_reset)
        self.create_service(Trigger, '~/decide', self._on_decide)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin or resume the episode, then work."""
        self._publish(self._loop.start(self.now(), self._default_goal))
        if self._journal is not None and self._journal.corrupt_bytes:
            self.health.count_fault(
                'corrupt_memory_file', f'{self._journal.corrupt_bytes} bytes of the journal were '
                'damaged; they are in a .corrupt file beside it')
        return super().on_activate(state)

    def work(self) -> float:
        """Decide if it is time to, and publish what changed."""
        now = self.now()
        if not self._loop.due(now):
            return _LOOK_PERIOD_S
        with self._intake.lock:
            observation = self._history.observe(now)
            missing = self._history.missing(now)
        if observation is None:
            self.health.set_level(WARN, f'waiting for {", ".join(missing)}')
            return _LOOK_PERIOD_S
        self._publish(self._loop.step(observation, now, time.monotonic))
        return _LOOK_PERIOD_S

    def _publish(self, state: HighLevelState | None) -> None:
        if state is None:
            return
        if state.status in ('failed', 'malformed', 'oversized'):
            self.health.set_level(WARN, f'{state.status} answer: {state.error}')
            self.health.values['bad answers'] = str(self._loop.counts)
        elif self._loop.warning:
            self.health.set_level(WARN, self._loop.warning)
        else:
            self.health.set_level(OK, 'active')
        self.health.values |= {
            'episode': state.episode, 'step': str(state.step), 'subtask': state.subtask,
            'latency_s': f'{state.latency_s:.3f}',
            'journal bytes lost': str(self._loop.corrupt_bytes)}
        self._subtask.publish(String(data=state.subtask))
        self._memory.publish(String(data=state.memory))
        self._state.publish(String(data=state.to_json()))

    def _end_episode(self) -> None:
        with self._intake.lock:
            self._history.reset()
        self._publish(self._loop.reset(self.now()))
        self.wake()

    @guarded
    def _on_goal(self, text: str) -> None:
        self._try('goal', lambda: self._loop.set_goal(text, self.now()))

    @guarded
    def _on_set_memory(self, message: String) -> None:
        self._try('set_memory', lambda: self._loop.edit_memory(message.data, self.now()))

    @guarded
    def _on_roll_back(self, message: UInt32) -> None:
        self._try('roll_back', lambda: self._loop.roll_back(message.data, self.now()))

    def _try(self, what: str, change) -> None:
        try:
            self._publish(change())
        except MemVlaError as error:
            self.health.count_fault(f'rejected {what}', str(error))
        self.wake()

    @guarded
    def _on_reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._end_episode()
        response.success = True
        response.message = f'episode {self._loop.state.episode}'
        return response

    @guarded
    def _on_decide(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._loop.subtask_ended()
        self.wake()
        response.success = True
        return response


def main() -> int:
    """Run the node."""
    return run_node(HighLevelPolicyNode)
