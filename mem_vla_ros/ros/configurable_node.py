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

"""The shell of every node that can refuse its configuration and live to tell why."""

from collections.abc import Sequence
import traceback
from typing import Any

from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from mem_vla_ros.core.errors import MemVlaError
from mem_vla_ros.ros.conversions import seconds_from_stamp
from mem_vla_ros.ros.health import ERROR, Health, OK
from mem_vla_ros.ros.parameters import NodeParameters, ParameterSpec

AUTOSTART = ParameterSpec(
    'autostart', True,
    'Configure and activate at start; false leaves that to a lifecycle manager.')


class ConfigurableNode(LifecycleNode):
    """A lifecycle node with checked parameters, health and autostart."""

    def __init__(self, name: str, specs: Sequence[ParameterSpec], **options: Any) -> None:
        super().__init__(name, **options)
        self.node_parameters = NodeParameters(self, [AUTOSTART, *specs])
        self.health = Health(self)

    def configure(self) -> None:
        """Load and check everything; raise MemVlaError to refuse."""

    def now(self) -> float:
        """Return sensor time: the node's clock, which may be simulated [s]."""
        return seconds_from_stamp(self.get_clock().now().to_msg())

    def autostart(self) -> None:
        """Configure and activate if the parameter says so and nothing is refused."""
        if not self.get_parameter('autostart').value:
            self.health.set_level(OK, 'waiting for a lifecycle manager')
            return
        if self.trigger_configure() == TransitionCallbackReturn.SUCCESS:
            self.trigger_activate()

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Refuse with a message: rclpy swallows exceptions of lifecycle callbacks."""
        try:
            self.configure()
        except Exception as error:
            if not isinstance(error, MemVlaError):
                self.get_logger().error(traceback.format_exc())
            self.health.set_level(ERROR, f'refused to configure: {error}')
            return TransitionCallbackReturn.FAILURE
        self.health.set_level(OK, 'configured')
        return super().on_configure(state)
