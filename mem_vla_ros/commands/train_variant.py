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
import multiprocessing
from pathlib import Path
from typing import TYPE_CHECKING

from mem_vla_ros.core.robot_file import robot_file

if TYPE_CHECKING:
    from mem_vla_ros.training.train_config import TrainConfig


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        'train-variant', help='train one variant of docs/results.md, from its demonstrations on')
    parser.add_argument('variant', help='such as both or no_memory; see training/recipe.py')
    parser.add_argument('--data', default='data', help='folder of all demonstrations')
    parser.add_argument('--out', default='runs', help='folder of all runs')
    parser.add_argument('--workers', type=int, default=2, help='processes that collect or train')
    parser.add_argument('--seed', type=int, default=0, help='seed of the training')
    parser.add_argument('--robot', help='robot file (default: that of the simulated arm)')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Do what is not done yet; runs that do not wait for each other go side by side."""
    from mem_vla_ros.training.recipe import ready_runs, runs_of
    from mem_vla_ros.training.train_config import train_preset
    data, out, robot = Path(args.data), Path(args.out), robot_file(args.robot)
    waiting, done = runs_of(args.variant), set[str]()
    while waiting:
        runs = ready_runs(waiting, done)[:args.workers]
        print(f"{len(waiting)} runs to do; now: {', '.join(run.name for run in runs)}", flush=True)
        for name in dict.fromkeys(name for run in runs for name in run.data):
            _collect(name, data, out, args.workers, robot)
        _train([(
            train_preset(run.preset, **run.settings, seed=args.seed,
                         start_from=_checkpoint(out, run.start),
                         share_of=_checkpoint(out, run.share_of)),
            [str(data / name) for name in run.data], out / run.name, robot) for run in runs])
        waiting = [run for run in waiting if run not in runs]
        done |= {run.name for run in runs}
    return 0


def _checkpoint(out: Path, run: str) -> str:
    return str(out / run / 'checkpoint') if run else ''


def _train(jobs: list[tuple['TrainConfig', list[str], Path, str]]) -> None:
    """Train one after the other, or each in a process of its own."""
    from mem_vla_ros.commands.train import train
    if len(jobs) == 1:
        train(*jobs[0])
        return
    # A fresh interpreter for each: the threads of torch do not survive a fork.
    with multiprocessing.get_context('spawn').Pool(len(jobs)) as pool:
        pool.starmap(train, jobs, chunksize=1)


def _collect(name: str, data: Path, out: Path, workers: int, robot: str) -> None:
    from mem_vla_ros.evaluation.checkpoint_learner import CheckpointLearnerMaker
    from mem_vla_ros.sim.collect import collect, CollectSettings
    from mem_vla_ros.training.recipe import DEMONSTRATIONS
    wanted = DEMONSTRATIONS[name]
    learner = CheckpointLearnerMaker(
        str(out / wanted.learner / 'checkpoint'), robot) if wanted.learner else None
    settings = CollectSettings(
        wanted.task, noise=wanted.noise, mistakes=wanted.mistakes, told=wanted.told,
        compress=False, learner=learner.weights if learner else '', longest_s=wanted.longest_s)
    collect(settings, wanted.episodes, data / name, workers, wanted.first_seed,
            make_learner=learner)
