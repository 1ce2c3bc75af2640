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

"""``memvla convert``: bags, training episodes and LeRobot data sets into each other."""

import argparse
from pathlib import Path
import sys


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        'convert', help='bags, training episodes and LeRobot v3 data sets into each other')
    parser.add_argument('sources', nargs='+', type=Path, metavar='SOURCE',
                        help='bags, folders of memvla collect, or LeRobot data sets')
    parser.add_argument('target', type=Path, help='folder to make')
    parser.add_argument('--to', required=True, choices=['episodes', 'lerobot', 'bag'])
    parser.add_argument('--robot', type=Path, required=True, help='robot file')
    parser.add_argument('--rate', type=int, default=10, help='steps per second [Hz]')
    parser.add_argument('--image-size', type=int, default=0,
                        help='side that images are resized to [px]; 0 keeps them')
    parser.add_argument('--storage', default='mcap', choices=['mcap', 'sqlite3'],
                        help='storage of bags')
    parser.add_argument('--remap', action='append', default=[], metavar='NAME:=TOPIC',
                        help='topic of the robot file -> topic of the bag')
    parser.add_argument('--camera', action='append', default=[], metavar='THEIRS:=OURS',
                        help='camera of a LeRobot data set -> camera of the robot file')
    parser.add_argument('--first-seed', type=int, default=None,
                        help='number of the first of the episodes; default is the first of '
                             'the training seeds')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Convert every episode; return 0 if all sources were whole and 1 if some were not."""
    from tqdm import tqdm

    from mem_vla_ros.core.errors import MemVlaError
    from mem_vla_ros.core.robot import load_robot
    from mem_vla_ros.evaluation.bag_topics import parse_remaps
    from mem_vla_ros.evaluation.exchange.read_source import read_source, SourceSettings

    robot = load_robot(args.robot)
    settings = SourceSettings(
        robot, 1.0 / args.rate, args.image_size, parse_remaps(args.remap),
        parse_remaps(args.camera))
    problems: list[str] = []
    count = steps = 0
    with _target(args, robot) as add:
        for source in args.sources:
            try:
                for episode in tqdm(read_source(source, settings), source.name, leave=False):
                    add(episode)
                    count, steps = count + 1, steps + len(episode)
            except MemVlaError as error:
                problems.append(f'memvla convert: {source}: {error}')
                if not count and source == args.sources[-1]:
                    raise
    print(f'{args.target}: {count} episodes, {steps} steps')
    print(*problems, sep='\n', end='\n' if problems else '', file=sys.stderr)
    return 1 if problems else 0


def _target(args: argparse.Namespace, robot):
    """Return a context whose value takes episodes."""
    from contextlib import contextmanager

    @contextmanager
    def opened():
        if args.to == 'lerobot':
            from mem_vla_ros.evaluation.exchange.lerobot_writer import LeRobotWriter
            with LeRobotWriter(args.target, robot.joint_names, args.rate, robot.name) as writer:
                yield writer.add
        elif args.to == 'episodes':
            from mem_vla_ros.evaluation.exchange.episode_folder import EpisodeFolder
            from mem_vla_ros.sim.seeds import TRAINING
            first = TRAINING.start if args.first_seed is None else args.first_seed
            yield EpisodeFolder(
                args.target, robot.joint_names, 1.0 / args.rate, first, args.image_size).add
        else:
            from mem_vla_ros.evaluation.exchange.bag_of_episode import write_bag_of_episode
            args.target.mkdir(parents=True, exist_ok=True)
            yield lambda episode: write_bag_of_episode(
                episode, _next_bag(args.target), robot, args.storage)

    return opened()


def _next_bag(folder: Path) -> Path:
    number = 0
    while (folder / f'episode_{number:05d}').exists():
        number += 1
    return folder / f'episode_{number:05d}'
