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

"""``memvla replay-demo``: record a simulated episode, replay it both ways, show the report."""

import argparse
from pathlib import Path
import shutil
import signal
import subprocess
import webbrowser

from mem_vla_ros.core.robot_file import robot_file

LAUNCH = ('ros2', 'launch', 'mem_vla_ros')


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        'replay-demo',
        help='record a simulated episode, replay it through the nodes and offline, and report')
    parser.add_argument('--task', default='find_object', help='task of the suite')
    parser.add_argument('--seed', type=int, default=0, help='seed of the episode')
    parser.add_argument('--output', type=Path, default=Path('replay_demo'),
                        help='folder for bags and report; replaced if it exists')
    parser.add_argument('--no-browser', action='store_true', help='do not open the report')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the three steps; return 0 if all of them worked."""
    from mem_vla_ros.cli import main
    from mem_vla_ros.core.robot import load_robot
    from mem_vla_ros.evaluation.annotations_of_run import annotate_bag

    folder = args.output.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    recorded, replayed = folder / 'recorded', folder / 'replayed'
    robot = robot_file()
    print('replay-demo: 1. recording a simulated episode', flush=True)
    if not _record(args, recorded):
        return 1
    annotate_bag(recorded, load_robot(robot))
    print('replay-demo: 2. replaying it through the nodes', flush=True)
    code = subprocess.run([
        *LAUNCH, 'replay.launch.py', f'bag:={recorded}', f'answers:={replayed}',
        'high_level_backend:=scripted', 'low_level_backend:=scripted'], check=False).returncode
    if code != 0 or not (replayed / 'metadata.yaml').exists():
        print('replay-demo: the replay did not finish; see the messages above.')
        return 1
    shutil.copy(f'{recorded}.annotations.jsonl', f'{replayed}.annotations.jsonl')
    print('replay-demo: 3. evaluating the answers, and replaying offline', flush=True)
    code = main(['evaluate-bag', str(recorded), str(replayed), '--robot', robot,
                 '--compare', 'recorded', 'scripted', 'scripted:naive', 'hold',
                 '--output', str(folder / 'report')])
    page = folder / 'report' / 'report.html'
    if not args.no_browser and page.exists():
        webbrowser.open(page.as_uri())
    return code


def _record(args: argparse.Namespace, bag: Path) -> bool:
    """Run the demo with a recorder beside it, and return whether there is a finished bag."""
    recorder = subprocess.Popen(
        [*LAUNCH, 'record.launch.py', f'bag:={bag}', 'use_sim_time:=true'])
    try:
        subprocess.run(
            ['memvla', 'demo', '--task', args.task, '--seed', str(args.seed),
             'start_subscribers:=3', 'inspector:=false', 'high_level_backend:=scripted',
             'low_level_backend:=scripted'], check=False)
    finally:
        recorder.send_signal(signal.SIGINT)
        recorder.wait(30)
    if not (bag / 'metadata.yaml').exists():
        print('replay-demo: the recording was not finished; see the messages above.')
        return False
    return True
