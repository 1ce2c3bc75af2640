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

"""A node that watches the graph under test from outside."""

from collections import defaultdict
import json
import time

import rclpy
from std_msgs.msg import String

from mem_vla_ros.core.states import HighLevelState, LowLevelState
from mem_vla_ros.ros.qos import EVENT, LATCHED, LATCHED_STATES


class GraphWatcher:
    """Collects messages while it waits for conditions; use as a context manager."""

    def __enter__(self):
        rclpy.init()
        self.node = rclpy.create_node('watcher')
        self.received = defaultdict(list)
        self.listen('hl_state', String, LATCHED_STATES)
        self.listen('ll_state', String, EVENT)
        self.listen('score', String, LATCHED)
        return self

    def __exit__(self, *error):
        self.node.destroy_node()
        rclpy.shutdown()

    def listen(self, topic, kind, qos):
        """Collect everything on a topic in ``received[topic]``."""
        self.node.create_subscription(kind, topic, self.received[topic].append, qos)

    def wait_for(self, condition, timeout=60.0):
        """Spin until the condition is true; return whether it came true in time."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if condition():
                return True
            rclpy.spin_once(self.node, timeout_sec=0.1)
        return bool(condition())

    def call(self, kind, service, request, timeout=30.0):
        """Call a service and return its answer."""
        client = self.node.create_client(kind, service)
        assert self.wait_for(client.service_is_ready, timeout), f'no service {service}'
        future = client.call_async(request)
        assert self.wait_for(future.done, timeout), f'no answer from {service}'
        return future.result()

    @property
    def high_level(self):
        """Return all states of the high-level policy."""
        return [HighLevelState.from_json(message.data) for message in self.received['hl_state']]

    @property
    def low_level(self):
        """Return all states of the low-level policy."""
        return [LowLevelState.from_json(message.data) for message in self.received['ll_state']]

    @property
    def scores(self):
        """Return all scores."""
        return [json.loads(message.data) for message in self.received['score']]

    @property
    def solved(self):
        """Return whether the task is solved."""
        return any(score['success'] for score in self.scores)
