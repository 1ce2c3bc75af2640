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
"""The goal topic of a policy node: newest wins, a few a second at most."""

from collections.abc import Callable

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from std_msgs.msg import String

from mem_vla_ros.ros.qos import LATCHED

_PERIOD_S = 0.1


class GoalIntake:
    """
    Passes on the newest goal, so that a flood of goals costs no more than ten a second.

    :param on_goal: Told the text as it came; must not raise.
    """

    def __init__(self, node: Node, on_goal: Callable[[str], None]) -> None:
        self._on_goal = on_goal
        self._newest: str | None = None
        node.create_subscription(String, 'goal', self._take, LATCHED)
        node.create_timer(
            _PERIOD_S, self._pass_on, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _take(self, message: String) -> None:
        self._newest = message.data

    def _pass_on(self) -> None:
        goal, self._newest = self._newest, None
        if goal is not None:
            self._on_goal(goal)
