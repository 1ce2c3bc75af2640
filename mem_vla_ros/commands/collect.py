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

"""``memvla collect``: demonstrations of the experts, written to a folder."""

import argparse
import math
import resource

from mem_vla_ros.core.robot_file import robot_file


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser('collect', help='record demonstrations of a simulated task')
    parser.add_argument('--task', required=True, help='task of the suite, see memvla tasks')
    parser.add_argument('--episodes', type=int, required=True, help='how many seeds')
    parser.add_argument('--out', required=True, help='folder; one that exists is resumed')
    parser.add_argument('--first-seed', type=int, default=0)
    parser.add_argument('--workers', type=int, default=1, help='processes')
    parser.add_argument('--image-size', type=int, default=64, help='side of the images [px]')
    parser.add_argument(
        '--noise', type=float, default=0.01,
        help='disturbance of the executed actions [rad]; the recorded ones recover from it; none '
             'with a learner, which disturbs enough')
    parser.add_argument(
        '--mistakes', type=float, default=0.0,
        help='share of the pick-ups that miss on purpose and are repeated')
    parser.add_argument(
        '--learner', default='',
        help='checkpoint folder of a low level that drives in turn with the expert; only what the '
             'expert does is learned from such episodes')
    parser.add_argument(
        '--told', type=float, default=0.3,
        help='share of its turns in which the learner is told the subtask')
    parser.add_argument(
        '--longest', type=float, default=math.inf, metavar='SECONDS',
        help='record only so much of an episode; not with a learner')
    parser.add_argument(
        '--late', type=float, metavar='SHARE',
        help='share of the decisions that the expert hears seconds late (default: an eighth)')
    parser.add_argument(
        '--slip', type=float, default=0.0, metavar='SHARE',
        help='share of the grasps that slip: fingers close and hold nothing')
    parser.add_argument('--robot', help='robot file (default: that of the simulated arm)')
    parser.add_argument(
        '--raw', action='store_true', help='plain arrays that can be memory-mapped')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Collect, and say what the folder holds."""
    from mem_vla_ros.evaluation.checkpoint_learner import CheckpointLearnerMaker
    from mem_vla_ros.sim.collect import collect, CollectSettings
    from mem_vla_ros.sim.rollout import LATE_SHARE
    learner = (CheckpointLearnerMaker(args.learner, robot_file(args.robot))
               if args.learner else None)
    settings = CollectSettings(
        args.task, args.image_size, args.noise, args.mistakes, args.told,
        compress=not args.raw, learner=learner.weights if learner else '',
        longest_s=args.longest, late=LATE_SHARE if args.late is None else args.late,
        slip=args.slip)
    before = _processor_seconds()
    dataset = collect(settings, args.episodes, args.out, args.workers, args.first_seed,
                      make_learner=learner)
    solved = sum(entry['success'] for entry in dataset.entries)
    steps = sum(entry['steps'] for entry in dataset.entries)
    print(f'{args.out}: {len(dataset)} episodes, {solved} solved, {steps} steps; '
          f'{_processor_seconds() - before:.1f} s of processor time for this run')
    return 0


def _processor_seconds() -> float:
    """Return what this process and its workers have used, without waiting for others."""
    usages = (resource.getrusage(who) for who in (
        resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
