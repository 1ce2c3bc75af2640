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

"""``memvla demo``: the whole stack in simulation, until the task ends."""

import argparse


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        'demo', help='run a task in simulation through the real nodes, and say how it went')
    parser.add_argument('--task', default='find_object', help='task of the suite')
    parser.add_argument('--seed', type=int, default=0, help='seed of the episode')
    parser.add_argument(
        '--policies', choices=('learned', 'scripted'), default='learned',
        help='the weights that ship, or the expert of the task, which knows the simulator')
    parser.add_argument(
        'launch_arguments', nargs='*', metavar='name:=value',
        help='passed on to demo.launch.py; ros2 launch mem_vla_ros demo.launch.py --show-args '
             'lists them')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run demo.launch.py; return 0 if the task was solved and 1 if not."""
    from mem_vla_ros.core.weights import HIGH_LEVEL, image_size_of, LOW_LEVEL, tasks_of
    from mem_vla_ros.evaluation.graph_episode import learned_policies, play_in_graph
    policies = []
    if args.policies == 'learned':
        known = sorted(set(tasks_of(LOW_LEVEL)) & set(tasks_of(HIGH_LEVEL)))
        if args.task not in known:
            print(f'demo: the weights that ship were trained on {", ".join(known)}. For '
                  f'{args.task} use --policies scripted (make demo POLICIES=scripted).')
            return 2
        policies = learned_policies(LOW_LEVEL, HIGH_LEVEL, image_size_of(LOW_LEVEL))
    score = play_in_graph(args.task, args.seed, [*policies, *args.launch_arguments])
    if score is None:
        print('demo: the task did not end; see the messages above.')
        return 1
    solved = 'solved' if score['success'] else 'NOT solved'
    print(f"demo: {score['task']} (seed {score['seed']}) {solved}: {score['points']} of "
          f"{score['max_points']} points after {score['time_s']:.1f} s. {score['reason']}".strip())
    return 0 if score['success'] else 1
