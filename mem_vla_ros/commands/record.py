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

"""``memvla record``: all topics of a running robot into a bag, until Ctrl-C."""

import argparse
from pathlib import Path
import signal
import subprocess


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser('record', help='record a running robot into a bag')
    parser.add_argument('--robot', type=Path, required=True, help='robot file')
    parser.add_argument('--bag', default='', help='folder to make; default is bags/<date>-<time>')
    parser.add_argument('--storage', default='mcap', choices=['mcap', 'sqlite3'])
    parser.add_argument('--images', default='raw', choices=['raw', 'jpeg', 'png'],
                        help='compress raw images')
    parser.add_argument('--split-size', type=float, default=0.0, metavar='MB',
                        help='begin another file after so much')
    parser.add_argument('--split-duration', type=float, default=0.0, metavar='SECONDS',
                        help='begin another file after so long')
    parser.add_argument('--use-sim-time', action='store_true', help='take time from /clock')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run record.launch.py and return its exit code."""
    launch = subprocess.Popen([
        'ros2', 'launch', 'mem_vla_ros', 'record.launch.py',
        f'robot_file:={args.robot.resolve()}', f'bag:={args.bag}', f'storage:={args.storage}',
        f'images:={args.images}', f'split_size:={args.split_size}',
        f'split_duration:={args.split_duration}',
        f'use_sim_time:={str(args.use_sim_time).lower()}'])
    try:
        return launch.wait()
    except KeyboardInterrupt:
        # The terminal has sent SIGINT to the launch process too; it lets the bag be finished.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return launch.wait()
