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
The shell that both policy nodes share: lifecycle, autostart, and one worker thread.

Configure loads and checks everything, activate starts the worker, deactivate stops it; what the
robot then does is the executor's business (it holds). The worker keeps slow models away from the
callbacks: messages are taken while a model thinks.
"""

from collections.abc import Sequence
import threading
import traceback

from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from mem_vla_ros.core.errors import MemVlaError
from mem_vla_ros.ros.conversions import seconds_from_stamp
from mem_vla_ros.ros.health import ERROR, Health, OK
from mem_vla_ros.ros.parameters import NodeParameters, ParameterSpec

AUTOSTART = ParameterSpec(
    'autostart', True,
    'Configure and activate at start; false leaves that to a lifecycle manager.')

_WORKER_STOP_TIMEOUT_S = 2.0


class PolicyNode(LifecycleNode):
    """A lifecycle node that works in a thread of its own while it is active."""

    def __init__(self, name: str, specs: Sequence[ParameterSpec]) -> None:
        super().__init__(name)
        self.node_parameters = NodeParameters(self, [AUTOSTART, *specs])
        self.health = Health(self)
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._worker: threading.Thread | None = None

    def configure(self) -> None:
        """Load and check everything; raise MemVlaError to refuse."""
        raise MemVlaError(f'{type(self).__name__} has nothing to configure.')

    def work(self) -> float:
        """Do one unit of work and return how long to wait for the next [s] unless woken."""
        raise MemVlaError(f'{type(self).__name__} has nothing to do.')

    def now(self) -> float:
        """Return sensor time: the node's clock, which may be simulated [s]."""
        return seconds_from_stamp(self.get_clock().now().to_msg())

    def wake(self) -> None:
        """Let the worker look again at once."""
        self._wake.set()

    def autostart(self) -> None:
        """Configure and activate if the parameter says so and nothing is refused."""
        if not self.get_parameter('autostart').value:
            self.health.set_level(OK, 'waiting for a lifecycle manager')
            return
        if self.trigger_configure() == TransitionCallbackReturn.SUCCESS:
            self.trigger_activate()

    def stop(self) -> None:
        """End the worker; called once before the node is destroyed."""
        self._stopping.set()
        self._wake.set()
        if self._worker is not None:
            # A hung model must not keep the process: the thread is a daemon.
            self._worker.join(_WORKER_STOP_TIMEOUT_S)
            self._worker = None

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

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Start the worker."""
        self._stopping.clear()
        self._worker = threading.Thread(target=self._run_worker, name='policy', daemon=True)
        self._worker.start()
        self.health.set_level(OK, 'active')
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop the worker; the executor holds when no chunk arrives."""
        self.stop()
        self.health.set_level(OK, 'inactive')
        return super().on_deactivate(state)

    def _run_worker(self) -> None:
        while not self._stopping.is_set():
            try:
                pause = self.work()
            except Exception as error:
                if self._stopping.is_set():
                    return
                self.health.count_fault(
                    'exception in worker', f'{type(error).__name__}: {error}')
                self.get_logger().error(traceback.format_exc(), throttle_duration_sec=5.0)
                pause = 0.5
            self._wake.wait(pause)
            self._wake.clear()
