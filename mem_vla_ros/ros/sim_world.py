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
Node ``sim_world``: a MuJoCo task behind the topics of a real robot.

Takes ``joint_command``, gives cameras, joint states and, when asked, ``/clock``. The score is on
``score`` as JSON. ``oracle`` carries what only scripted experts may know.
"""

import json
from pathlib import Path
import threading
import time
from typing import Any

import numpy as np
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.ros.conversions import (
    image_to_message,
    joint_state_to_message,
    seconds_from_stamp,
    stamp_from_seconds,
)
from mem_vla_ros.ros.health import Health, OK
from mem_vla_ros.ros.node_main import guarded, run_node
from mem_vla_ros.ros.parameters import NodeParameters, ParameterSpec
from mem_vla_ros.ros.qos import LATCHED, NEWEST, SENSOR
from mem_vla_ros.sim.tasks.registry import TASKS
from mem_vla_ros.sim.trajectory_controller import Trajectory, TrajectoryController
from mem_vla_ros.sim.world import CAMERAS, World

PARAMETERS = (
    ParameterSpec('task', 'find_object', 'Which task of the suite to set up.',
                  choices=tuple(TASKS)),
    ParameterSpec('seed', 0, 'Seed of the first episode; every reset adds 1.', 0, 2**31 - 1),
    ParameterSpec('image_size', 64, 'Side of the camera images [px].', 16, 1024),
    ParameterSpec('slip', 0.0, 'Share of the grasps that slip, by chance that the seed fixes.',
                  0.0, 1.0),
    ParameterSpec('camera_rate', 10.0, 'Images per simulated second of each camera [Hz].',
                  0.5, 50.0),
    ParameterSpec('real_time_factor', 1.0,
                  'Simulated seconds per second, as far as the machine can.', 0.1, 20.0),
    ParameterSpec('publish_clock', True,
                  'Publish /clock; false stamps with the system clock instead.'),
    ParameterSpec('start_subscribers', 0,
                  'Time starts when each camera has so many subscribers, so that no policy '
                  'misses the beginning; 0 starts at once.', 0, 10),
    ParameterSpec('start_timeout', 60.0, 'Start without them after this long [s].', 0.0, 600.0),
    ParameterSpec('exit_when_done', False, 'End the process when the task is over.'),
    ParameterSpec('result_file', '', 'Write the final score there as JSON; empty writes none.'),
)

_TICK_S = 0.01
_JOINT_STATE_PERIOD_S = 0.02
_SCORE_PERIOD_S = 0.2
_FAREWELL_S = 0.5


class SimWorld(Node):
    """Steps the world in a thread of its own and exchanges messages with it."""

    def __init__(self, **options: Any) -> None:
        super().__init__('sim_world', **options)
        self.health = Health(self)
        self.parameters = NodeParameters(self, PARAMETERS).checked()
        self._lock = threading.Lock()
        self._world = World(
            self.parameters.task, image_size=self.parameters.image_size,
            seed=self.parameters.seed, slip=self.parameters.slip)
        self._seed = self.parameters.seed
        self._controller = TrajectoryController(self._world.joint_positions)
        self._time_offset = 0.0
        self._reset_wanted = threading.Event()
        self._stopping = threading.Event()
        self.done = threading.Event()

        self._clock_publisher = self.create_publisher(ClockMessage, '/clock', SENSOR)
        self._joint_publisher = self.create_publisher(JointState, 'joint_states', SENSOR)
        self._camera_publishers = {
            name: self.create_publisher(Image, f'cameras/{name}/image', SENSOR)
            for name in CAMERAS}
        self._goal_publisher = self.create_publisher(String, 'goal', LATCHED)
        self._score_publisher = self.create_publisher(String, 'score', LATCHED)
        self._oracle_publisher = self.create_publisher(String, 'oracle', SENSOR)
        self.create_subscription(JointTrajectory, 'joint_command', self._on_command, NEWEST)
        self.create_service(Trigger, '~/reset', self._on_reset)

        self._goal_publisher.publish(String(data=self._world.goal))
        self.health.set_level(OK, f'task {self.parameters.task}, seed {self._seed}')
        self._thread = threading.Thread(target=self._run, name='physics', daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the physics thread, which also closes the renderer that it owns."""
        self._stopping.set()
        self._thread.join(5.0)

    @guarded
    def _on_command(self, message: JointTrajectory) -> None:
        order = [message.joint_names.index(name) for name in self._world.joint_names]
        begin = seconds_from_stamp(message.header.stamp)
        points = message.points
        trajectory = Trajectory(
            np.array([begin + seconds_from_stamp(p.time_from_start) for p in points]),
            np.array([[p.positions[i] for i in order] for p in points]),
            np.array([[p.velocities[i] for i in order] if p.velocities else [0.0] * len(order)
                      for p in points]))
        with self._lock:
            self._controller.follow(trajectory, self._now())

    @guarded
    def _on_reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._reset_wanted.set()
        response.success = True
        response.message = f'seed {self._seed + 1} comes next'
        return response

    def _now(self) -> float:
        if self.parameters.publish_clock:
            return self._time_offset + self._world.time
        return seconds_from_stamp(self.get_clock().now().to_msg())

    def _run(self) -> None:
        try:
            self._wait_for_subscribers()
            wall = time.monotonic()
            tick = 0
            while not self._stopping.is_set():
                if self._reset_wanted.is_set():
                    self._reset()
                self._step(tick)
                tick += 1
                wall += _TICK_S / self.parameters.real_time_factor
                late = time.monotonic() - wall
                if late > 0.2:
                    wall = time.monotonic()  # too slow for the wish: run on without catching up
                elif late < 0:
                    self._stopping.wait(-late)
        except rclpy_implementation.RCLError:
            if self.context.ok():  # a signal has ended the context in the middle of a step
                raise
        finally:
            self._world.close()

    def _wait_for_subscribers(self) -> None:
        deadline = time.monotonic() + self.parameters.start_timeout
        wanted = self.parameters.start_subscribers
        while time.monotonic() < deadline and not self._stopping.is_set():
            counts = [camera.get_subscription_count()
                      for camera in self._camera_publishers.values()]
            if min(*counts, self._joint_publisher.get_subscription_count()) >= wanted:
                return
            self._stopping.wait(_TICK_S)

    def _reset(self) -> None:
        self._reset_wanted.clear()
        with self._lock:
            self._time_offset += self._world.time  # the clock never jumps back
            self._seed += 1
            self._world.reset(self._seed)
            self._controller.reset(self._world.joint_positions)
            self.done.clear()
        self._goal_publisher.publish(String(data=self._world.goal))
        self.health.set_level(OK, f'task {self.parameters.task}, seed {self._seed}')

    def _step(self, tick: int) -> None:
        with self._lock:
            reference = self._controller.reference(self._now() + _TICK_S)
            self._world.step(reference, _TICK_S)
            now = self._now()
        if self.parameters.publish_clock:
            self._clock_publisher.publish(ClockMessage(clock=stamp_from_seconds(now)))
        if _is_due(tick, _JOINT_STATE_PERIOD_S):
            self._joint_publisher.publish(joint_state_to_message(
                self._world.joint_names, self._world.joint_positions,
                self._world.joint_velocities, now))
        if _is_due(tick, 1.0 / self.parameters.camera_rate):
            self._oracle_publisher.publish(String(data=json.dumps(self._world.oracle())))
            for name, image in self._world.render().items():
                self._camera_publishers[name].publish(image_to_message(image, now, name))
        if _is_due(tick, _SCORE_PERIOD_S):
            self._report_score()

    def _report_score(self) -> None:
        score = self._world.score().to_dict() | {
            'task': self.parameters.task, 'seed': self._seed,
            'time_s': round(self._world.time, 2)}
        self._score_publisher.publish(String(data=json.dumps(score)))
        if not score['done']:
            return
        if not self.done.is_set():
            self.done.set()
            self._done_at = time.monotonic()
            if self.parameters.result_file:
                Path(self.parameters.result_file).write_text(json.dumps(score), encoding='utf-8')
        # Time for the last score to be read before its publisher is gone.
        if self.parameters.exit_when_done and time.monotonic() - self._done_at > _FAREWELL_S:
            self._stopping.set()
            self.context.try_shutdown()


def _is_due(tick: int, period_s: float) -> bool:
    return tick % max(round(period_s / _TICK_S), 1) == 0


def main() -> int:
    """Run the node."""
    try:
        return run_node(SimWorld)
    except ConfigError as error:
        print(f'sim_world: {error}')
        return 2
