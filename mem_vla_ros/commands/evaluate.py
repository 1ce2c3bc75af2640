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

"""``memvla evaluate``: roll out learned policies on unseen seeds."""

import argparse
import json
from pathlib import Path


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser('evaluate', help='roll out learned policies in simulation')
    parser.add_argument('--task', required=True, help='task of the suite, see memvla tasks')
    parser.add_argument('--low', required=True, help='checkpoint folder of the low level')
    parser.add_argument('--high', default='', help='checkpoint folder of the high level; without '
                        'one the low level acts from the goal alone')
    parser.add_argument('--rollouts', type=int, default=50)
    parser.add_argument('--workers', type=int, default=1, help='processes')
    parser.add_argument(
        '--seeds', choices=('evaluation', 'validation'), default='evaluation',
        help='validation is for choosing settings')
    parser.add_argument('--robot', default='config/robots/sim_arm.yaml', help='robot file')
    parser.add_argument('--out', help='JSON file for every rollout')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Roll out, print the summary, and write the rows."""
    from mem_vla_ros.evaluation.rollouts import roll_out, RolloutJob, summarise
    from mem_vla_ros.sim import seeds
    chosen = {'evaluation': seeds.EVALUATION, 'validation': seeds.VALIDATION}[args.seeds]
    job = RolloutJob(args.task, args.low, args.high, args.robot)
    rows = roll_out(job, chosen[:args.rollouts], args.workers)
    summary = {'task': args.task, 'seeds': args.seeds, **summarise(rows)}
    if args.out:
        Path(args.out).write_text(
            json.dumps({'summary': summary, 'rollouts': rows}, indent=1), encoding='utf-8')
    print(json.dumps(summary))
    return 0
