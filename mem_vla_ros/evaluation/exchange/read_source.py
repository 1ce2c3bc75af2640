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

"""The episodes of whatever holds some: a bag, a folder of ``memvla collect``, a LeRobot set."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.robot import Robot
from mem_vla_ros.evaluation.exchange import lerobot_layout
from mem_vla_ros.evaluation.exchange.episodes_of_bag import episodes_of_bag
from mem_vla_ros.evaluation.exchange.lerobot_reader import LeRobotReader
from mem_vla_ros.sim.dataset import Dataset
from mem_vla_ros.training.episode import Episode
from mem_vla_ros.training.sim_episodes import episode_of

_BAG_FILES = ('metadata.yaml', '*.mcap', '*.db3')


@dataclass(frozen=True)
class SourceSettings:
    """
    How sources are read.

    :param dt: Time between steps [s]; bags are put on this grid, LeRobot data sets are thinned
        to it.
    :param image_size: Side that images of bags are resized to [px]; 0 keeps them.
    :param remaps: Topic of the robot file -> topic of the bag.
    :param cameras: Camera of a LeRobot data set -> camera of the robot file; empty keeps all.
    """

    robot: Robot
    dt: float = 0.1
    image_size: int = 0
    remaps: Mapping[str, str] = field(default_factory=dict)
    cameras: Mapping[str, str] = field(default_factory=dict)


def kind_of(source: Path) -> str:
    """
    Return ``collect``, ``lerobot`` or ``bag``, by the files that a source has.

    :raises ConfigError: if it is a folder with none of them.
    """
    if (source / 'dataset.json').exists():
        return 'collect'
    if (source / lerobot_layout.INFO).exists():
        return 'lerobot'
    if source.is_dir() and not any(next(source.rglob(name), None) for name in _BAG_FILES):
        raise ConfigError(
            f'{str(source)!r} holds no episodes: neither dataset.json (memvla collect) nor '
            f'{lerobot_layout.INFO} (LeRobot) nor one of {list(_BAG_FILES)} (rosbag2).')
    return 'bag'


def read_source(source: Path, settings: SourceSettings) -> Iterator[Episode]:
    """
    Yield every episode of a source, one at a time.

    :raises MemVlaError: if the source is none of the three, is damaged, or has other joints or
        another rate.
    """
    kind = kind_of(source)
    if kind == 'collect':
        dataset = Dataset(source)
        yield from (episode_of(dataset, number) for number in range(len(dataset)))
    elif kind == 'lerobot':
        yield from _read_lerobot(source, settings)
    else:
        yield from episodes_of_bag(
            source, settings.robot, settings.dt, settings.image_size, settings.remaps)


def _read_lerobot(source: Path, settings: SourceSettings) -> Iterator[Episode]:
    reader = LeRobotReader(source, settings.cameras or None)
    if len(reader.joint_names) != len(settings.robot.joint_names):
        raise ConfigError(
            f'{str(source)!r} has joints {list(reader.joint_names)}, the robot file '
            f'{list(settings.robot.joint_names)}.')
    every = round(reader.fps * settings.dt)
    if every < 1 or abs(reader.fps * settings.dt - every) > 1e-6:
        raise ConfigError(
            f'{str(source)!r} has {reader.fps:g} steps per second, which is no multiple of the '
            f'{1.0 / settings.dt:g} that are wanted.')
    yield from (_thinned(reader[index], every) for index in range(len(reader)))


def _thinned(episode: Episode, every: int) -> Episode:
    """Return every n-th step; the action of a step is still what is wanted at the next one."""
    steps = np.arange(0, len(episode), every)
    following = np.minimum(steps + every - 1, len(episode) - 1)
    return replace(
        episode, times=episode.times[steps], joints=episode.joints[steps],
        actions=episode.actions[following],
        images={camera: images[::every] for camera, images in episode.images.items()},
        subtasks=episode.subtasks[::every], memories=episode.memories[::every])
