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


"""``memvla train-variant``: collect, then train one variant of the results; resumable."""

import argparse
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
import multiprocessing
from pathlib import Path
from shutil import copytree
from typing import TYPE_CHECKING

from mem_vla_ros.core.robot_file import robot_file

if TYPE_CHECKING:
    from mem_vla_ros.training.recipe import Demonstrations, Run


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        'train-variant', help='train one variant of docs/results.md, from its demonstrations on')
    parser.add_argument('variant', help='such as both or no_memory; see training/recipe.py')
    parser.add_argument('--data', default='data', help='folder of all demonstrations')
    parser.add_argument('--out', default='runs', help='folder of all runs')
    parser.add_argument('--workers', type=int, default=2, help='processes that collect or train')
    parser.add_argument('--seed', type=int, default=0, help='seed of the training')
    parser.add_argument(
        '--shipped', action='store_true',
        help='begin with the shipped weights of shared runs instead of training them again')
    parser.add_argument('--robot', help='robot file (default: that of the simulated arm)')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Do what is not done yet; what waits for nothing goes side by side."""
    from mem_vla_ros.training.recipe import (
        DEMONSTRATIONS,
        GIVEN,
        needs_of,
        ready,
        runs_of,
        SHIPPED,
    )
    taken = GIVEN | SHIPPED if args.shipped else GIVEN
    runs = runs_of(args.variant)
    for name in taken.keys() & {name for run in runs for name in (run.name, run.start)}:
        if not (own := Path(args.out) / name / 'checkpoint').exists():
            copytree(taken[name], own)
    waiting, done = needs_of(args.variant, taken), set(taken)
    work = DEMONSTRATIONS | {run.name: run for run in runs}
    running: dict[Future[None], str] = {}
    # A fresh interpreter for each: OpenGL and the threads of torch do not survive a fork.
    with ProcessPoolExecutor(
            args.workers, multiprocessing.get_context('spawn'), max_tasks_per_child=1) as pool:
        while waiting or running:
            for name in ready(waiting, done)[:args.workers - len(running)]:
                print(f'{len(waiting)} to do; now: {name}', flush=True)
                running[pool.submit(_do, name, work[name], args)] = name
                del waiting[name]
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                future.result()
                done.add(running.pop(future))
    return 0


def _do(name: str, work: 'Demonstrations | Run', args: argparse.Namespace) -> None:
    """Collect a folder of demonstrations, or do a run."""
    from mem_vla_ros.training.recipe import Run
    data, out, robot = Path(args.data), Path(args.out), robot_file(args.robot)
    if isinstance(work, Run):
        _train(work, data, out, robot, args.seed)
    else:
        _collect(work, data / name, out, robot)


def _train(run: 'Run', data: Path, out: Path, robot: str, seed: int) -> None:
    from mem_vla_ros.commands.train import train
    from mem_vla_ros.training.train_config import train_preset
    train(train_preset(
        run.preset, **run.settings, seed=seed,
        start_from=str(out / run.start / 'checkpoint') if run.start else ''),
        [str(data / folder) for folder in run.data], out / run.name, robot)


def _collect(wanted: 'Demonstrations', folder: Path, out: Path, robot: str) -> None:
    from mem_vla_ros.evaluation.checkpoint_learner import CheckpointLearnerMaker
    from mem_vla_ros.sim.collect import collect, CollectSettings
    learner = CheckpointLearnerMaker(
        str(out / wanted.learner / 'checkpoint'), robot) if wanted.learner else None
    settings = CollectSettings(
        wanted.task, noise=wanted.noise, mistakes=wanted.mistakes, told=1.0,
        compress=False, learner=learner.weights if learner else '', longest_s=wanted.longest_s,
        late=wanted.late, slip=wanted.slip)
    collect(settings, wanted.episodes, folder, first_seed=wanted.first_seed,
            make_learner=learner)
