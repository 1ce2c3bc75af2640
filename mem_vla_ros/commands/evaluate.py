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

"""``memvla evaluate``: roll out learned policies on unseen seeds, and keep what came of it."""

import argparse
from datetime import date
import os
from pathlib import Path
import sys
from typing import TYPE_CHECKING

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.robot_file import robot_file
from mem_vla_ros.core.weights import LOW_LEVEL

if TYPE_CHECKING:
    from mem_vla_ros.evaluation.result_file import ResultFile, Setup
    from mem_vla_ros.evaluation.rollouts import RolloutJob


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser('evaluate', help='roll out learned policies in simulation')
    tasks = parser.add_mutually_exclusive_group(required=True)
    tasks.add_argument('--task', nargs='+', help='tasks, see memvla tasks')
    tasks.add_argument('--suite', choices=('memory', 'adaptation', 'long', 'dexterity'),
                       help='all tasks of a kind')
    parser.add_argument('--low', default=str(LOW_LEVEL),
                        help='checkpoint folder of the low level (default: the shipped weights), '
                        'or "expert", to see what the high level alone does wrong')
    parser.add_argument('--high', default='', help='checkpoint folder of the high level, or '
                        '"expert"; without one the low level acts from the goal alone')
    parser.add_argument('--name', help='variant; its rollouts are kept in RESULTS/NAME, and those '
                        'that are there are not repeated. Without a name nothing is kept')
    parser.add_argument('--results', type=Path, default=Path('results'), help='result folder')
    parser.add_argument('--rollouts', type=int, default=50)
    parser.add_argument('--workers', type=int, default=1, help='processes')
    parser.add_argument('--batch', type=int, default=8, help='episodes side by side in each '
                        'process, which share batches of inference; 1 plays one at a time')
    parser.add_argument(
        '--seeds', choices=('evaluation', 'validation'), default='evaluation',
        help='validation is for choosing settings')
    parser.add_argument('--memory', choices=('language', 'naive', 'none'), default='language',
                        help='memory of the high level')
    parser.add_argument('--slip', type=float, default=0.0, help='share of the grasps that slip')
    parser.add_argument('--hold', type=float, default=0.0, metavar='S',
                        help='hold the arm for so long, once in an episode [s]')
    parser.add_argument('--execution-rows', type=int, default=5,
                        help='rows of a chunk that are executed before the next one')
    parser.add_argument('--through-ros', action='store_true',
                        help='in the real graph, in real time, one after the other')
    parser.add_argument('--film', type=Path, metavar='DIR', help='write films there')
    parser.add_argument('--film-count', type=int, default=1,
                        help='films of so many successes and failures of each task')
    parser.add_argument('--compare', type=Path, metavar='DIR',
                        help='print the results of this variant beside, such as results/scratch')
    parser.add_argument('--robot', help='robot file (default: that of the simulated arm)')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Roll out every task; print and keep the results."""
    from mem_vla_ros.evaluation.result_file import Setup
    from mem_vla_ros.evaluation.rollout import RolloutSettings
    from mem_vla_ros.evaluation.rollouts import EXPERT, film_rollouts, RolloutJob
    from mem_vla_ros.sim.tasks.registry import make_task, SUITES
    if args.film and args.through_ros:
        raise ConfigError('--film works in process only. Leave out --through-ros.')
    if args.hold and args.through_ros:
        raise ConfigError('--hold works in process only. Leave out --through-ros.')
    if args.through_ros and EXPERT in (args.low, args.high):
        raise ConfigError('--low and --high expert work in process only. Leave out --through-ros.')
    tasks = args.task or SUITES[args.suite]
    for task in tasks:
        make_task(task)
    for task in tasks:
        job = RolloutJob(
            task, args.low, args.high, robot_file(args.robot), args.slip, args.hold,
            settings=RolloutSettings(args.execution_rows, memory_mode=args.memory))
        setup = Setup.of(job, args.name or 'unnamed', args.seeds, args.through_ros)
        result = _evaluate(args, job, setup)
        print(result.text(), flush=True)
        if args.compare:
            _compare(args.compare, result)
        if args.film:
            for path in film_rollouts(job, result.rows, args.film, args.film_count):
                print(path)
    return 0


def _evaluate(args: argparse.Namespace, job: 'RolloutJob', setup: 'Setup') -> 'ResultFile':
    """Play what has not been played yet."""
    from tqdm import tqdm

    from mem_vla_ros.evaluation.graph_rollouts import roll_out_in_graph
    from mem_vla_ros.evaluation.result_file import ResultFile, shown_command
    from mem_vla_ros.evaluation.rollouts import roll_out
    from mem_vla_ros.sim import seeds
    chosen = {'evaluation': seeds.EVALUATION, 'validation': seeds.VALIDATION}[args.seeds]
    result = ResultFile.resume(
        setup, {'command': shown_command(['memvla', *sys.argv[1:]]), 'date': str(date.today()),
                'machine': f'{os.cpu_count()} cores, no GPU used'},
        args.results if args.name else None)
    missing = result.missing(chosen[:args.rollouts])
    rows = roll_out_in_graph(job, missing) if args.through_ros else roll_out(
        job, missing, args.workers, args.batch)
    with tqdm(rows, initial=args.rollouts - len(missing), total=args.rollouts, desc=job.task,
              unit='rollout') as bar:
        for row in bar:
            result.add(row)
            bar.set_postfix_str(f'{result.success.mean:.0%} solved')
    return result


def _compare(folder: Path, result: 'ResultFile') -> None:
    """Print what the table says beside what was measured."""
    from mem_vla_ros.evaluation.result_file import ResultFile
    path = folder / f'{result.setup.task}.json'
    if not path.exists():
        print(f'  nothing to compare with: {path} is missing')
        return
    known = ResultFile.read(path)
    played = {row['seed'] for row in result.rows}
    same = [row['success'] for row in known.rows if row['seed'] in played]
    print(f'  measured {result.success.percent()}; the table says {known.success.percent()} '
          f'({len(known.rows)} rollouts), {sum(same)} of {len(same)} on the same seeds')
