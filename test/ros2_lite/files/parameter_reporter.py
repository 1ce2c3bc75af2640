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

"""A node that says which name, topic and parameters it has."""

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from std_msgs.msg import String


def main() -> None:
    try:
        report()
    except (KeyboardInterrupt, ExternalShutdownException):
        print('interrupted', flush=True)


def report() -> None:
    rclpy.init()
    node = Node('default_name', automatically_declare_parameters_from_overrides=True)
    publisher = node.create_publisher(String, 'chatter', 1)
    node.create_timer(0.1, lambda: publisher.publish(String(data='tick')))
    print('node', node.get_fully_qualified_name(), flush=True)
    print('topic', publisher.topic_name, flush=True)
    for name in ('rate', 'speed', 'labels', 'nested.gain'):
        print(name, node.get_parameter(name).value, flush=True)
    rclpy.spin(node)


if __name__ == '__main__':
    main()
