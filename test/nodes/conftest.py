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

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter

ROBOT_FILE = str(Path(__file__).parents[2] / 'config' / 'robots' / 'sim_arm.yaml')


class Probe(Node):
    """Publishes and collects messages for a test."""

    def __init__(self):
        super().__init__('probe')
        self.received = defaultdict(list)
        self._probes = {}

    def listen(self, topic, kind, qos):
        """Collect everything on a topic in ``received[topic]``."""
        self.create_subscription(kind, topic, self.received[topic].append, qos)

    def send(self, topic, message, qos):
        """Publish on a topic."""
        if topic not in self._probes:
            self._probes[topic] = self.create_publisher(type(message), topic, qos)
        self._probes[topic].publish(message)

    def call(self, service, request, timeout=10.0):
        """Call a service and return its answer."""
        client = self.create_client(type(request).__module__ and _service_of(request), service)
        assert client.wait_for_service(timeout), f'no service {service}'
        future = client.call_async(request)
        assert wait_for(future.done, timeout), f'no answer from {service}'
        return future.result()


def _service_of(request):
    module = __import__(type(request).__module__, fromlist=['_'])
    name = type(request).__name__.removesuffix('_Request')
    return getattr(module, name)


def wait_for(condition, timeout=10.0):
    """Return whether the condition came true in time."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())


class Graph:
    """An executor in a thread; nodes are added as a test needs them."""

    def __init__(self):
        self.executor = SingleThreadedExecutor()
        self.nodes = []
        self.thread = threading.Thread(target=self._spin, daemon=True)
        self.probe = self.add(Probe())
        self.thread.start()

    def _spin(self):
        while rclpy.ok():
            self.executor.spin_once(timeout_sec=0.05)

    def add(self, node):
        """Spin one more node."""
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def start(self, node_class, **parameters):
        """Make a node with parameters and start it as its main would."""
        parameters.setdefault('robot_file', ROBOT_FILE)
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        node = node_class(parameter_overrides=overrides)
        self.add(node)
        if hasattr(node, 'autostart'):
            node.autostart()
        return node

    def close(self):
        """End every node, then the executor."""
        for node in self.nodes:
            if hasattr(node, 'stop'):
                node.stop()
        self.executor.shutdown()
        rclpy.try_shutdown()
        self.thread.join(5.0)
        for node in self.nodes:
            node.destroy_node()


@pytest.fixture
def graph(domain_id):
    rclpy.init()
    graph = Graph()
    yield graph
    graph.close()


@pytest.fixture(name='wait_for')
def wait_for_fixture():
    return wait_for
