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

"""`ros2 service`: Show services and call them."""

import argparse

import yaml


def add_arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest='verb', required=True)
    listing = verbs.add_parser('list', help='Output a list of available services')
    listing.add_argument(
        '-t', '--show-types', action='store_true', help='Additionally show the service type')
    call = verbs.add_parser('call', help='Call a service')
    call.add_argument('service_name', help='Name of the ROS service to call')
    call.add_argument('service_type', help="Type, e.g. 'std_srvs/srv/Trigger'")
    call.add_argument('values', nargs='?', default='{}', help='Request in YAML format')


def run(args: argparse.Namespace) -> None:
    """Print the services, or the response of one."""
    from .graph import call_service, graph_node, print_names_and_types
    from .messages import fill, load_type
    with graph_node() as node:
        if args.verb == 'call':
            service_type = load_type(args.service_type)
            request = fill(service_type.Request(), yaml.safe_load(args.values) or {})
            print(f'requester: making request: {request!r}\n')
            response = call_service(node, service_type, args.service_name, request)
            print(f'response:\n{response!r}\n')
            return
        print_names_and_types(node, node.get_service_names_and_types, args.show_types)
