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

"""`ros2 topic`: Show topics and the messages on them."""

import argparse
import sys
from typing import Any

import yaml


def add_arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest='verb', required=True)
    listing = verbs.add_parser('list', help='Output a list of available topics')
    listing.add_argument(
        '-t', '--show-types', action='store_true', help='Additionally show the topic type')
    echo = verbs.add_parser('echo', help='Output messages from a topic')
    echo.add_argument('topic_name', help='Name of the ROS topic to listen to')
    echo.add_argument('message_type', nargs='?', help="Type, e.g. 'std_msgs/msg/String'")
    echo.add_argument('--once', action='store_true', help='Print the first message and then exit')


def run(args: argparse.Namespace) -> None:
    """Print the topics, or the messages of one."""
    from .graph import graph_node, print_names_and_types
    with graph_node() as node:
        if args.verb == 'echo':
            _echo(node, args)
        else:
            print_names_and_types(node, node.get_topic_names_and_types, args.show_types)


def _echo(node: Any, args: argparse.Namespace) -> None:
    import rclpy
    from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

    from .graph import discover
    from .messages import load_type, to_plain
    topic = node.resolve_topic_name(args.topic_name)
    while not (publishers := discover(node, lambda: node.get_publishers_info_by_topic(topic))):
        print(f'WARNING: topic [{topic}] does not appear to be published yet', file=sys.stderr)
    profiles = [publisher.qos_profile for publisher in publishers]
    reliable = all(profile.reliability == ReliabilityPolicy.RELIABLE for profile in profiles)
    latched = all(
        profile.durability == DurabilityPolicy.TRANSIENT_LOCAL for profile in profiles)
    qos = QoSProfile(
        depth=10,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE)
    received = []

    def show(message: Any) -> None:
        print(yaml.safe_dump(to_plain(message), sort_keys=False, allow_unicode=True), end='---\n')
        received.append(True)

    message_type = load_type(args.message_type or publishers[0].topic_type)
    node.create_subscription(message_type, topic, show, qos)
    while rclpy.ok() and not (args.once and received):
        rclpy.spin_once(node, timeout_sec=0.2)
