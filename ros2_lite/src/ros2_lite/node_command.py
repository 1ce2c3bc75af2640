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

"""`ros2 node`: Show nodes."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest='verb', required=True)
    verbs.add_parser('list', help='Output a list of available nodes')


def run(args: argparse.Namespace) -> None:
    """Print the full names of the nodes."""
    from .graph import discover, graph_node
    with graph_node() as node:
        discover(node, lambda: False)
        for name, namespace in sorted(node.get_node_names_and_namespaces()):
            if not name.startswith('_'):
                print(f"{namespace.rstrip('/')}/{name}")
