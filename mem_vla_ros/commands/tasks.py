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
from pathlib import Path


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        'tasks', help='list the simulated tasks with chance levels and expert success')
    parser.add_argument(
        '--measure', type=int, default=0, metavar='SEEDS',
        help='let the experts play so many seeds of each task; 0 shows what was measured last')
    parser.add_argument('--task', action='append', help='only this task; may be repeated')
    parser.add_argument('--workers', type=int, default=1, help='processes')
    parser.add_argument(
        '--noise', type=float, default=0.0, help='disturbance of the executed actions [rad]')
    parser.add_argument('--save', metavar='FILE', help='write what was measured as JSON')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the table; return 1 if an expert was measured to solve less than 98 per cent."""
    from mem_vla_ros.sim.expert_success import measure_expert
    from mem_vla_ros.sim.task_table import markdown_table, record_of, records_as_json
    from mem_vla_ros.sim.tasks.registry import make_task, TASKS
    for name in args.task or ():
        make_task(name)
    if not args.measure:
        print(markdown_table())
        return 0
    records = {}
    for name in args.task or TASKS:
        results = measure_expert(name, args.measure, args.workers, args.noise)
        records[name] = record_of(results)
        print(name, records[name], *(f'seed {result.seed}: {result.reason};'
                                     for result in results if not result.success), flush=True)
    if args.save:
        Path(args.save).write_text(records_as_json(records), encoding='utf-8')
    print(markdown_table(records))
    return 0 if all(item.solved >= 0.98 * item.episodes for item in records.values()) else 1
