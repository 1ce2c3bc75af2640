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
The shell that both policy nodes share: a worker thread while the node is active.

The worker keeps slow models away from the callbacks: messages are taken while a model thinks.
What the robot does while no chunk comes is the executor's business (it holds).
"""

from collections.abc import Sequence
import threading
import traceback
from typing import Any

from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn

from mem_vla_ros.ros.configurable_node import ConfigurableNode
from mem_vla_ros.ros.health import OK
from mem_vla_ros.ros.parameters import ParameterSpec

_WORKER_STOP_TIMEOUT_S = 2.0
_PAUSE_AFTER_EXCEPTION_S = 0.5


class PolicyNode(ConfigurableNode):
    """A lifecycle node that works in a thread of its own while it is active."""

    def __init__(self, name: str, specs: Sequence[ParameterSpec], **options: Any) -> None:
        super().__init__(name, specs, **options)
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._worker: threading.Thread | None = None

    def work(self) -> float:
        """Do one unit of work and return how long to wait for the next [s] unless woken."""
        return _PAUSE_AFTER_EXCEPTION_S

    def wake(self) -> None:
        """Let the worker look again at once."""
        self._wake.set()

    def stop(self) -> None:
        """End the worker; called once before the node is destroyed."""
        self._stopping.set()
        self._wake.set()
        if self._worker is not None:
            # A hung model must not keep the process: the thread is a daemon.
            self._worker.join(_WORKER_STOP_TIMEOUT_S)
            self._worker = None

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
                if self._stopping.is_set() or not self.context.ok():
                    return
                self.health.count_fault(
                    'exception in worker', f'{type(error).__name__}: {error}')
                self.get_logger().error(traceback.format_exc(), throttle_duration_sec=5.0)
                pause = _PAUSE_AFTER_EXCEPTION_S
            self._wake.wait(pause)
            self._wake.clear()
