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

"""`ros2 lifecycle`: Show and change the state of a lifecycle node."""

import argparse

TRANSITIONS = ('configure', 'activate', 'deactivate', 'cleanup', 'shutdown')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest='verb', required=True)
    get = verbs.add_parser('get', help='Get lifecycle state of a node')
    change = verbs.add_parser('set', help='Trigger lifecycle state transition')
    for verb in (get, change):
        verb.add_argument('node_name', help='Name of the ROS node')
    change.add_argument('transition', choices=TRANSITIONS, help='The lifecycle transition')


def run(args: argparse.Namespace) -> str | None:
    """Print the state, or request a transition."""
    from lifecycle_msgs.srv import ChangeState, GetState

    from .graph import call_service, graph_node
    name = '/' + args.node_name.lstrip('/')
    with graph_node() as node:
        if args.verb == 'get':
            response = call_service(node, GetState, f'{name}/get_state', GetState.Request())
            state = response.current_state
            print(f'{state.label} [{state.id}]')
            return None
        request = ChangeState.Request()
        request.transition.label = args.transition
        if call_service(node, ChangeState, f'{name}/change_state', request).success:
            print('Transitioning successful')
            return None
        return 'Transitioning failed'
