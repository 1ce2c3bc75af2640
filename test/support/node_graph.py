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

"""Nodes in process, with a probe beside them that talks and listens."""

from collections import defaultdict
from pathlib import Path
import threading
import time

from diagnostic_msgs.msg import DiagnosticArray
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.parameter import Parameter

from mem_vla_ros.ros.qos import EVENT

ROBOT_FILE = str(Path(__file__).parents[2] / 'config' / 'robots' / 'sim_arm.yaml')


def wait_for(condition, timeout=10.0):
    """Return whether the condition came true in time."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())


class NodeGraph:
    """An executor in a thread; nodes are started as a test needs them."""

    def __init__(self):
        rclpy.init()
        self.executor = SingleThreadedExecutor()
        self.nodes = []
        self.received = defaultdict(list)
        self._publishers = {}
        self.probe = self._add(rclpy.create_node('probe'))
        self.listen('/diagnostics', DiagnosticArray, EVENT)
        self.thread = threading.Thread(target=self._spin, daemon=True)
        self.thread.start()

    def _add(self, node):
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def _spin(self):
        try:
            while rclpy.ok():
                self.executor.spin_once(timeout_sec=0.05)
        except (ExternalShutdownException, rclpy_implementation.RCLError):
            if rclpy.ok():
                raise

    def start(self, node_class, **parameters):
        """Make a node with parameters and start it as its main would."""
        parameters.setdefault('robot_file', ROBOT_FILE)
        node = node_class(parameter_overrides=[
            Parameter(name, value=value) for name, value in parameters.items()])
        if hasattr(node, 'autostart'):
            node.autostart()
        return self._add(node)

    def remove(self, node):
        """End one node."""
        if hasattr(node, 'stop'):
            node.stop()
        self.executor.remove_node(node)
        self.nodes.remove(node)
        node.destroy_node()

    def listen(self, topic, kind, qos):
        """Collect everything on a topic in ``received[topic]``."""
        self.probe.create_subscription(kind, topic, self.received[topic].append, qos)

    def send(self, topic, message, qos):
        """Publish on a topic once somebody listens there."""
        if topic not in self._publishers:
            self._publishers[topic] = self.probe.create_publisher(type(message), topic, qos)
            assert wait_for(self._publishers[topic].get_subscription_count), f'{topic}: nobody'
        self._publishers[topic].publish(message)

    def call(self, kind, service, request):
        """Call a service and return its answer."""
        client = self.probe.create_client(kind, service)
        assert client.wait_for_service(10.0), f'no service {service}'
        future = client.call_async(request)
        assert wait_for(future.done), f'no answer from {service}'
        return future.result()

    def now(self):
        """Return the time of the probe's clock as a stamp."""
        return self.probe.get_clock().now().to_msg()

    def diagnostics(self, name):
        """Return all statuses of a node, oldest first."""
        return [status for array in self.received['/diagnostics'] for status in array.status
                if status.name == f'/{name}']

    def says(self, name, text):
        """Return whether the diagnostics of a node have said something."""
        return any(
            text in status.message or any(text in f'{item.key}: {item.value}'
                                          for item in status.values)
            for status in self.diagnostics(name))

    def close(self):
        """End every node, then the executor."""
        for node in self.nodes:
            if hasattr(node, 'stop'):
                node.stop()
        rclpy.try_shutdown()
        self.thread.join(5.0)
        self.executor.shutdown()
        for node in self.nodes:
            node.destroy_node()
