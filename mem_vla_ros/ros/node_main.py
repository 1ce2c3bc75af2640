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

"""How every node starts, spins and ends."""

from collections.abc import Callable
from functools import wraps
import time
import traceback
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node


def run_node(make_node: Callable[[], Node]) -> int:
    """
    Run one node until SIGINT or SIGTERM, and return 0.

    A node with an ``autostart`` method is started by it before the first message is handled.
    """
    rclpy.init()
    node = None
    try:
        node = make_node()
        if hasattr(node, 'autostart'):
            node.autostart()
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except RuntimeError:  # rclpy's own, when a signal comes while it makes or takes a message
        if not has_been_signalled():
            raise
    finally:
        if node is not None:
            if hasattr(node, 'stop'):
                node.stop()
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


def has_been_signalled(patience: float = 1.0) -> bool:
    """Whether a signal has ended the context; rclpy's signal thread may need a moment for it."""
    end = time.monotonic() + patience
    while rclpy.ok() and time.monotonic() < end:
        time.sleep(0.01)
    return not rclpy.ok()


def guarded(callback: Callable[..., Any]) -> Callable[..., Any]:
    """
    Make a method of a node safe as a callback: an exception is counted, not fatal.

    rclpy re-raises what a callback raises, which would end the process.
    """
    @wraps(callback)
    def call(self: Any, *args: Any) -> Any:
        try:
            return callback(self, *args)
        except Exception as error:
            if self.context.ok():  # else a signal has ended it in the middle of the callback
                self.health.count_fault(
                    f'exception in {callback.__name__}', f'{type(error).__name__}: {error}')
                self.get_logger().debug(traceback.format_exc())
            return args[-1] if len(args) == 2 else None  # a service must answer
    return call
