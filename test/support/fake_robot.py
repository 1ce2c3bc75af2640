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
"""A robot of messages: cameras, joint states and a controller that follows commands."""

import threading

import numpy as np
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import String
from support.messages import HOME, make_image, make_joint_state
from trajectory_msgs.msg import JointTrajectory

from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.policies.constant import ConstantPolicy
from mem_vla_ros.ros.conversions import seconds_from_stamp, stamp_from_seconds
from mem_vla_ros.ros.qos import LATCHED, NEWEST, SENSOR

CAMERAS = ('base', 'left_wrist', 'right_wrist', 'rear')
PERIOD_S = 0.02
FRAME_EVERY = 5


class TurningPolicy(ConstantPolicy):
    """Turns the first joint to and fro, slowly and for ever."""

    SPEED = 0.2

    def predict(self, observation, subtask, goal, committed):
        """Return a chunk that moves from the present position."""
        direction = 1.0 if int(observation.stamp) % 4 < 2 else -1.0
        rows = np.tile(observation.position, (self.horizon, 1))
        rows[:, 0] += direction * self.SPEED * self.dt * np.arange(self.horizon)
        return ActionChunk(self._joint_names, observation.stamp, self.dt, rows)


class FakeRobot:
    """
    Publishes at 50 Hz joint states, at 10 Hz images, and does what ``joint_command`` says.

    :param simulated_time: Give the time on ``/clock``; it starts at 1000 s.

    Tests change ``silent`` (cameras, ``joint_states``), ``image_changes``, ``joints_changes`` and
    ``stamp_offset`` while it runs.
    """

    def __init__(self, graph, simulated_time=False):
        self.graph = graph
        self.silent = set()
        self.image_changes = {}
        self.joints_changes = {}
        self.stamp_offset = 0.0
        self.commands = []
        self._time = 1000.0 if simulated_time else None
        self._positions = np.array(HOME)
        node = graph.probe
        self._joints = node.create_publisher(JointState, 'joint_states', SENSOR)
        self._cameras = {
            name: node.create_publisher(Image, f'cameras/{name}/image', SENSOR)
            for name in CAMERAS}
        self._clock = node.create_publisher(Clock, '/clock', SENSOR)
        node.create_subscription(JointTrajectory, 'joint_command', self._follow, NEWEST)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._stopping.set()
        self._thread.join(5.0)

    def now(self):
        """Return the robot's time [s]."""
        return seconds_from_stamp(self.graph.now()) if self._time is None else self._time

    def set_clock(self, seconds):
        """Let the simulated time jump."""
        self._time = seconds

    def tell_subtask(self, text='turn'):
        """Give the low level something to do."""
        self.graph.send('subtask', String(data=text), LATCHED)

    @property
    def moves(self):
        """Return whether the newest command moves anything."""
        return bool(self.commands) and any(
            abs(velocity) > 1e-6
            for point in self.commands[-1].points for velocity in point.velocities)

    def _follow(self, command):
        self.commands.append(command)

    def _run(self):
        tick = 0
        while not self._stopping.wait(PERIOD_S):
            if self._time is not None:
                self._time += PERIOD_S
                self._clock.publish(Clock(clock=stamp_from_seconds(self._time)))
            self._step(self.now(), tick)
            tick += 1

    def _step(self, now, tick):
        stamp = stamp_from_seconds(now + self.stamp_offset)
        if self.commands:
            self._positions = _at(self.commands[-1], now)
        if 'joint_states' not in self.silent:
            message = make_joint_state(stamp, self._positions)
            for name, value in self.joints_changes.items():
                setattr(message, name, value)
            self._joints.publish(message)
        if tick % FRAME_EVERY == 0:
            for name, publisher in self._cameras.items():
                if name not in self.silent:
                    publisher.publish(make_image(stamp, **self.image_changes))


def _at(command, now):
    """Return where a controller is that plays this command."""
    times = [seconds_from_stamp(command.header.stamp) + seconds_from_stamp(point.time_from_start)
             for point in command.points]
    positions = np.array([point.positions for point in command.points])
    return np.array([np.interp(now, times, column) for column in positions.T])
