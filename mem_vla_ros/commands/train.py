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

"""``memvla train``: train a policy on demonstrations; the same command resumes."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mem_vla_ros.core.robot_file import robot_file

if TYPE_CHECKING:
    from mem_vla_ros.training.train_config import TrainConfig


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser('train', help='train a policy on demonstrations')
    parser.add_argument('--data', nargs='+', required=True, metavar='SOURCE',
                        help='folders of memvla collect, bags, LeRobot data sets')
    parser.add_argument('--out', required=True, help='folder of the run; one that exists resumes')
    parser.add_argument('--preset', default='low', help='settings: low, high or debug')
    parser.add_argument(
        '--set', nargs='*', default=[], metavar='NAME=VALUE', dest='changes',
        help='settings to change, such as steps=3000 or model_changes.memory=none')
    parser.add_argument('--robot', help='robot file (default: that of the simulated arm)')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train until the last step."""
    from mem_vla_ros.training.train_config import changed, train_preset
    train(changed(train_preset(args.preset), args.changes), args.data, args.out,
          robot_file(args.robot))
    return 0


def train(config: 'TrainConfig', data: Sequence[str], out: str | Path, robot_file: str) -> None:
    """Do one training run, or the rest of it."""
    from mem_vla_ros.core.robot import load_robot
    from mem_vla_ros.evaluation.exchange.open_episodes import open_episodes
    from mem_vla_ros.evaluation.exchange.read_source import SourceSettings
    from mem_vla_ros.evaluation.validation_rollouts import ValidationRollouts
    from mem_vla_ros.models.presets import preset
    from mem_vla_ros.training.new_checkpoint import make_checkpoint
    from mem_vla_ros.training.run_folder import RunFolder
    from mem_vla_ros.training.trainer import Trainer
    robot = load_robot(robot_file)
    model = preset(config.model, **config.model_changes)
    episodes = open_episodes(data, SourceSettings(
        robot, model.action_dt_s, model.vision_config.image_size))
    checkpoint = make_checkpoint(config, episodes, robot)
    parameters = sum(parameter.numel() for parameter in checkpoint.model.parameters())
    print(f'{len(episodes)} episodes, {parameters / 1e6:.2f} M parameters')
    folder = RunFolder(out)
    rollouts = ValidationRollouts(config.rollout_tasks, config.rollout_count, robot)
    Trainer(checkpoint, episodes, config, folder, rollouts).run()
    print(f'ready to use: {folder.checkpoint}')
