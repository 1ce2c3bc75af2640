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

"""``memvla evaluate-bag``: run policies over bags offline and judge them by numbers."""

import argparse
from pathlib import Path
import sys


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        'evaluate-bag', help='judge recorded or replayed policies on bags, see docs/evaluation.md')
    parser.add_argument('bags', nargs='+', type=Path, metavar='BAG',
                        help='bag folder, or a single .mcap or .db3 file')
    parser.add_argument('--robot', type=Path, required=True, help='robot file of the bags')
    what = parser.add_mutually_exclusive_group()
    what.add_argument('--variant', default='recorded', metavar='NAME[:MEMORY]',
                      help='what to evaluate: recorded (default), hold, scripted, or a '
                           'checkpoint folder, or LOW+HIGH; MEMORY is language, naive or none')
    what.add_argument('--compare', nargs='+', metavar='NAME[:MEMORY]',
                      help='set several variants side by side on the same bags')
    parser.add_argument('--output', type=Path, default=Path('bag_evaluation'),
                        help='folder of the report; the same command resumes there')
    parser.add_argument('--remap', action='append', default=[], metavar='NAME:=TOPIC',
                        help='topic of the robot file -> topic of the bag')
    parser.add_argument('--goal', default='', help='goal, if the bag has none')
    parser.add_argument('--frames', type=int, default=6,
                        help='frames per camera, for policies without a wish of their own')
    parser.add_argument('--stride', type=float, default=1.0, help='time between them [s]')
    parser.add_argument('--image-size', type=int, default=0,
                        help='side that images are resized to [px]; 0 keeps them')
    parser.add_argument('--chunking', default='hard', help='how a chunk follows the last one')
    parser.add_argument('--execution-horizon', type=int, default=4,
                        help='rows that are executed before the next inference')
    parser.add_argument('--period', type=float, default=1.0,
                        help='time between decisions of the high level [s]')
    parser.add_argument('--low-level-latency', type=float, default=0.1,
                        help='time that a chunk takes in the replay [s]')
    parser.add_argument('--high-level-latency', type=float, default=0.5,
                        help='time that a decision takes in the replay [s]')
    parser.add_argument('--max-input-age', type=float, default=0.5,
                        help='older images and joint states are stale [s]')
    parser.add_argument('--max-input-lag', type=float, default=0.2,
                        help='how long an observation may wait for cameras [s]')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Evaluate; return 0 if every bag is in the numbers, 1 if some are not, 2 if none is."""
    from rich.console import Console

    from mem_vla_ros.evaluation.report_html import write_html
    from mem_vla_ros.evaluation.report_terminal import print_report

    evaluation = _evaluation(args)
    done = evaluation.finished()
    if done:
        print(f'resuming: {done} of {len(evaluation.bags) * len(evaluation.variants)} results '
              f'are already in {args.output}')
    args.output.mkdir(parents=True, exist_ok=True)
    page = args.output / 'report.html'
    page.unlink(missing_ok=True)
    try:
        report = _with_progress_bar(evaluation)
    except KeyboardInterrupt:
        print('interrupted; no report was written. The same command resumes.')
        return 130
    report.write_json(args.output / 'report.json')
    write_html(report, page)
    # A file or a pipe has no width of its own; a table squeezed into 80 columns cannot be read.
    print_report(report, Console(width=None if sys.stdout.isatty() else 160))
    print(f'report: {page}')
    if not any(result.episodes for result in report.results):
        return 2
    return 1 if report.problems else 0


def _evaluation(args: argparse.Namespace):
    from mem_vla_ros.core.robot import load_robot
    from mem_vla_ros.evaluation.bag_topics import parse_remaps
    from mem_vla_ros.evaluation.evaluation_run import EvaluationRun
    from mem_vla_ros.evaluation.replay_settings import ReplaySettings
    from mem_vla_ros.evaluation.variant import Variant

    settings = ReplaySettings(
        frames=args.frames, stride=args.stride, chunking=args.chunking,
        execution_horizon=args.execution_horizon, period_s=args.period,
        low_level_latency_s=args.low_level_latency,
        high_level_latency_s=args.high_level_latency, image_size=args.image_size,
        max_input_age_s=args.max_input_age, max_input_lag_s=args.max_input_lag,
        goal=args.goal)
    return EvaluationRun(
        args.output, args.bags, [Variant.parse(item) for item in args.compare or [args.variant]],
        load_robot(args.robot), settings, parse_remaps(args.remap))


def _with_progress_bar(evaluation):
    from tqdm import tqdm

    with tqdm(desc='bag time', unit='s', unit_scale=True, leave=False) as bar:
        return evaluation.report(lambda seconds: bar.update(seconds))
