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

"""What a person does to the robot, as messages and service calls."""

import threading
from typing import Any

from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from mem_vla_ros.inspector.interventions import (
    HOLD,
    InterventionRefused,
    RESET,
    RESUME,
    SET_GOAL,
    SET_MEMORY,
)
from mem_vla_ros.ros.qos import EVENT, LATCHED

ANSWER_TIMEOUT_S = 4.0


class OperatorDesk:
    """Carries out interventions; called from a thread that does not spin the node."""

    def __init__(self, node: Node) -> None:
        self._goal = node.create_publisher(String, 'goal', LATCHED)
        self._memory = node.create_publisher(String, 'high_level_policy/set_memory', EVENT)
        self._hold = node.create_client(SetBool, 'action_executor/hold')
        self._forget_chunks = node.create_client(Trigger, 'action_executor/reset')
        self._new_episode = node.create_client(Trigger, 'high_level_policy/reset')

    def perform(self, action: str, text: str) -> None:
        """
        Do it, and return when the robot has taken it.

        :raises InterventionRefused: if nobody is there to take it, or it says no.
        """
        if action == SET_GOAL:
            self._tell(self._goal, text)
        elif action == SET_MEMORY:
            self._tell(self._memory, text)
        elif action in (HOLD, RESUME):
            self._call(self._hold, SetBool.Request(data=action == HOLD))
        elif action == RESET:
            self._call(self._new_episode, Trigger.Request())
            self._call(self._forget_chunks, Trigger.Request())

    def _tell(self, publisher: Any, text: str) -> None:
        if publisher.get_subscription_count() == 0:
            raise InterventionRefused(f'Nobody listens on {publisher.topic_name}.')
        publisher.publish(String(data=text))

    def _call(self, client: Any, request: Any) -> None:
        if not client.service_is_ready():
            raise InterventionRefused(f'Service {client.srv_name} is not there.')
        answered = threading.Event()
        future = client.call_async(request)
        future.add_done_callback(lambda _: answered.set())
        if not answered.wait(ANSWER_TIMEOUT_S):
            client.remove_pending_request(future)
            raise InterventionRefused(f'Service {client.srv_name} did not answer.')
        response = future.result()
        if response is None or not response.success:
            raise InterventionRefused(
                f'Service {client.srv_name} refused: {getattr(response, "message", "")}')
