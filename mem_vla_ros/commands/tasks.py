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

"""``memvla tasks``: the task suite, and how many seeds its experts solve."""

import argparse


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser('tasks', help='list the simulated tasks')
    parser.add_argument(
        '--measure', type=int, default=0, metavar='SEEDS',
        help='let the experts play so many seeds of each task; 0 only lists')
    parser.add_argument('--task', action='append', help='only this task; may be repeated')
    parser.add_argument('--workers', type=int, default=1, help='processes')
    parser.add_argument(
        '--noise', type=float, default=0.0, help='disturbance of the executed actions [rad]')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the table; return 1 if an expert solves less than 98 per cent."""
    from mem_vla_ros.sim.expert_success import measure_expert
    from mem_vla_ros.sim.task_table import markdown_table, success_text
    from mem_vla_ros.sim.tasks.registry import make_task, TASKS
    for name in args.task or ():
        make_task(name)
    if not args.measure:
        print(markdown_table())
        return 0
    results = {}
    for name in args.task or TASKS:
        results[name] = measure_expert(name, args.measure, args.workers, args.noise)
        failures = [f'seed {item.seed}: {item.reason}' for item in results[name]
                    if not item.success]
        print(name, success_text(results[name]), '; '.join(failures), flush=True)
    print(markdown_table(results))
    shares = [sum(item.success for item in items) / len(items) for items in results.values()]
    return 0 if min(shares) >= 0.98 else 1
