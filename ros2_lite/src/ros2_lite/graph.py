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

"""A short-lived node that looks at the ROS graph."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import os
import time
from typing import Any

import rclpy
from rclpy.node import Node

DISCOVERY_S = 2.0


@contextmanager
def graph_node() -> Iterator[Node]:
    """Give a node, whose name is hidden from `ros2 node list`."""
    rclpy.init()
    node = rclpy.create_node(
        f'_ros2_lite_{os.getpid()}', start_parameter_services=False, enable_rosout=False)
    try:
        yield node
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


def discover(node: Node, find: Callable[[], Any]) -> Any:
    """Let discovery go on until something is found, at the latest until the time is over."""
    end = time.monotonic() + DISCOVERY_S
    while not find() and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.05)
    return find()


def print_names_and_types(
    node: Node, find: Callable[[], list[tuple[str, list[str]]]], show_types: bool,
) -> None:
    """Print topics or services after a time of discovery, without hidden ones."""
    discover(node, lambda: False)
    for name, types in sorted(find()):
        if '/_' not in name:
            print(f"{name} [{', '.join(types)}]" if show_types else name)


def call_service(node: Node, service_type: type, name: str, request: Any) -> Any:
    """Call a service as soon as it is there and return its response."""
    client = node.create_client(service_type, name)
    while not client.wait_for_service(timeout_sec=3.0):
        print('waiting for service to become available...')
    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future)
    return future.result()
