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

"""``memvla scores``: score sheets for evaluations on real robots."""

import argparse
import math


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        'scores', help="enter and summarise scores by the paper's rubrics")
    actions = parser.add_subparsers(dest='action', required=True, metavar='ACTION')
    show = actions.add_parser('rubric', help='show a rubric, or the names of all')
    show.add_argument('task', nargs='?')
    enter = actions.add_parser('enter', help='append one episode to a sheet')
    enter.add_argument('sheet', help='CSV file; made if missing')
    enter.add_argument('task', help='name of the rubric')
    enter.add_argument('--policy', required=True, help='what was evaluated')
    enter.add_argument(
        '--earned', action='append', metavar='ITEM',
        help='item that was reached; may be repeated. Without it every item is asked for')
    enter.add_argument('--note', default='')
    summary = actions.add_parser('summary', help='mean and standard error of a sheet')
    summary.add_argument('sheet')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Do what was asked."""
    return {'rubric': _rubric, 'enter': _enter, 'summary': _summary}[args.action](args)


def _rubric(args: argparse.Namespace) -> int:
    from mem_vla_ros.sim.score_sheet import load_rubric, rubric_names
    if args.task is None:
        print('\n'.join(rubric_names()))
        return 0
    rubric = load_rubric(args.task)
    print(f'{rubric.title} ({rubric.max_points:g} points): {rubric.description}')
    for item, points in rubric.points.items():
        print(f'  {points:g}  {item}: {rubric.meanings[item]}')
    return 0


def _enter(args: argparse.Namespace) -> int:
    from mem_vla_ros.sim.score_sheet import enter_score, load_rubric
    rubric = load_rubric(args.task)
    earned, left_out = args.earned, []
    if earned is None:
        earned = []
        for item, meaning in rubric.meanings.items():
            answer = input(f'{item}: {meaning}? [y/n, - if the episode did not have it] ').strip()
            if answer.lower().startswith('y'):
                earned.append(item)
            elif answer == '-':
                left_out.append(item)
    number = enter_score(
        args.sheet, rubric, args.policy, earned, args.note, tuple(left_out))
    print(f'{rubric.name}, {args.policy}: episode {number} entered')
    return 0


def _summary(args: argparse.Namespace) -> int:
    from mem_vla_ros.sim.score_sheet import read_sheet, summarise
    for item in summarise(read_sheet(args.sheet)):
        print(f'{item.task:20} {item.policy:20} n={item.episodes:<4} '
              f'score {_percent(item.score, item.score_error)}   '
              f'success {_percent(item.success, item.success_error)}')
    return 0


def _percent(mean: float, error: float) -> str:
    return f'{mean:.1%}' + ('' if math.isnan(error) else f' ± {error:.1%}')
