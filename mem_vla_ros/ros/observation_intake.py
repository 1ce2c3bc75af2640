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

"""Subscriptions of a policy node: cameras and joint states of the robot file, checked."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Protocol

import numpy as np
from sensor_msgs.msg import CompressedImage, Image, JointState

from mem_vla_ros.core.images import ImageRejected
from mem_vla_ros.core.robot import Robot
from mem_vla_ros.core.types import FloatArray, ImageArray
from mem_vla_ros.execution.fault import Fault
from mem_vla_ros.ros.conversions import image_from_message, seconds_from_stamp
from mem_vla_ros.ros.policy_node import PolicyNode
from mem_vla_ros.ros.qos import SENSOR


class ObservationSink(Protocol):
    """Where observations go: a history, or a loop around one."""

    def add_frame(self, camera: str, stamp: float, image: ImageArray, now: float) -> Fault | None:
        """Take in one image."""
        ...

    def add_joints(
        self, stamp: float, names: list[str], positions: FloatArray, now: float,
    ) -> Fault | None:
        """Take in one joint state."""
        ...


class ObservationIntake:
    """
    Feeds images and joint states into a sink and counts what is refused.

    :param on_clock_jump: Called when the sink says that time was set.
    :param on_input: Called with ``joint_states`` or a camera name after each good input.

    ``lock`` is held while the sink takes something in; a worker that reads a bare history takes
    it too.
    """

    def __init__(
        self, node: PolicyNode, robot: Robot, sink: ObservationSink,
        on_clock_jump: Callable[[], None], on_input: Callable[[str], None] = lambda name: None,
    ) -> None:
        self._node = node
        self.lock = Lock()
        self._sink = sink
        self._on_clock_jump = on_clock_jump
        self._on_input = on_input
        self._received: Counter[str] = Counter()
        self._subscriptions = [
            node.create_subscription(
                JointState, robot.joint_states_topic, self._take_joints, SENSOR)]
        for camera in robot.cameras:
            kind = CompressedImage if camera.transport == 'compressed' else Image
            self._subscriptions.append(node.create_subscription(
                kind, camera.topic, partial(self._take_image, camera.name), SENSOR))

    def close(self) -> None:
        """Stop listening."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._subscriptions = []

    def _take_image(self, camera: str, message: Image | CompressedImage) -> None:
        try:
            image = image_from_message(message)
        except ImageRejected as error:
            self._node.health.count_fault(f'{error.kind} {camera}', str(error))
            return
        stamp = seconds_from_stamp(message.header.stamp)
        with self.lock:
            fault = self._sink.add_frame(camera, stamp, image, self._node.now())
        self._settle(camera, fault)

    def _take_joints(self, message: JointState) -> None:
        stamp = seconds_from_stamp(message.header.stamp)
        positions = np.asarray(message.position, dtype=np.float64)
        with self.lock:
            fault = self._sink.add_joints(
                stamp, list(message.name), positions, self._node.now())
        self._settle('joint_states', fault)

    def _settle(self, source: str, fault: Fault | None) -> None:
        self._received[source] += 1
        self._node.health.values[f'{source} received'] = str(self._received[source])
        if fault is None:
            self._on_input(source)
            return
        self._node.health.count_fault(f'{fault.name} {source}', fault.detail)
        if fault.name == 'clock_jumped':
            self._on_clock_jump()
