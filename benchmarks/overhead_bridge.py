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
The ROS side of the websocket path in `overhead.py`: a node around openpi's client.

It takes the same topics as our node, keeps the frames, and with every request sends the last K of
each camera, as a policy with memory behind that protocol needs them.
"""

import argparse
from collections import deque
import sys
import threading
import time

import numpy as np
from overhead import CAMERA_HZ, ROOT, ROW_S, say, STRIDE_S, WARM_UP_S
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.ros.conversions import seconds_from_stamp
from mem_vla_ros.ros.qos import EVENT, LATCHED, SENSOR

EVERY = round(STRIDE_S * CAMERA_HZ)


class WebsocketBridge(Node):
    """Cameras and joints in, chunks out, with the policy behind a websocket."""

    def __init__(self, port: int, frames: int) -> None:
        from openpi_client.websocket_client_policy import WebsocketClientPolicy

        super().__init__('websocket_bridge')
        robot = load_robot(ROOT / 'config' / 'robots' / 'sim_arm.yaml')
        self.latencies_ms: list[float] = []
        self._policy = WebsocketClientPolicy('127.0.0.1', port)
        self._frames = frames
        self._joint_names = list(robot.joint_names)
        self._joints = np.zeros(len(robot.joint_names))
        self._kept: dict[str, deque] = {}
        self._chunks = self.create_publisher(JointTrajectory, 'action_chunk', EVENT)
        for camera in robot.cameras:
            kept = self._kept[camera.name] = deque(maxlen=EVERY * frames)
            self.create_subscription(Image, camera.topic, self._keep_in(kept), SENSOR)
        self.create_subscription(
            JointState, robot.joint_states_topic, self._on_joints, SENSOR)
        self.create_subscription(String, 'subtask', lambda _: None, LATCHED)

    @staticmethod
    def _keep_in(kept: deque):
        def on_image(message: Image) -> None:
            image = np.frombuffer(message.data, np.uint8).reshape(
                message.height, message.width, 3)
            kept.append((seconds_from_stamp(message.header.stamp), image))
        return on_image

    def _on_joints(self, message: JointState) -> None:
        self._joints = np.array(message.position)

    def ask_for(self, seconds: float) -> None:
        """Ask for chunks at the pace of our node, and time each when it has been published."""
        while not all(len(kept) == kept.maxlen for kept in self._kept.values()):
            time.sleep(0.01)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            asked = time.monotonic()
            newest = self._ask()
            self.latencies_ms.append(1000.0 * (time.time() - newest))
            time.sleep(max(0.0, asked + ROW_S - time.monotonic()))

    def _ask(self) -> float:
        """Return the newest stamp that the published chunk is from."""
        chosen = {name: list(kept)[::-EVERY][::-1] for name, kept in self._kept.items()}
        observation = {name: np.stack([image for _, image in pairs])
                       for name, pairs in chosen.items()}
        actions = self._policy.infer(observation | {'state': self._joints})['actions']
        self._chunks.publish(JointTrajectory(joint_names=self._joint_names, points=[
            JointTrajectoryPoint(positions=row) for row in actions.tolist()]))
        return max(pairs[-1][0] for pairs in chosen.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--client', required=True, help='folder that openpi_client is in')
    parser.add_argument('--port', type=int, required=True)
    parser.add_argument('--frames', type=int, required=True)
    parser.add_argument('--seconds', type=float, required=True)
    arguments = parser.parse_args()
    sys.path.append(arguments.client)
    rclpy.init()
    node = WebsocketBridge(arguments.port, arguments.frames)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    threading.Thread(target=executor.spin, daemon=True).start()
    say({'matched': True})
    sys.stdin.readline()
    started, used = time.monotonic(), time.process_time()
    time.sleep(WARM_UP_S)
    node.ask_for(arguments.seconds)
    elapsed = time.monotonic() - started
    say({'latencies_ms': node.latencies_ms, 'cpu': (time.process_time() - used) / elapsed})


if __name__ == '__main__':
    main()
