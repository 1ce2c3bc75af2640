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

"""
What training reads, through one door: folders of ``memvla collect``, bags, LeRobot data sets.

Folders of ``memvla collect`` stay on disk. Bags and LeRobot data sets are brought to the
model's rate and image size and then kept in memory; very large ones are better converted once
(``memvla convert --to episodes``).
"""

from collections.abc import Sequence
from dataclasses import replace
import json
from pathlib import Path

from tqdm import tqdm

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.evaluation.bag_messages import decode, STRING
from mem_vla_ros.evaluation.bag_storage import BagStorage
from mem_vla_ros.evaluation.exchange.read_source import kind_of, read_source, SourceSettings
from mem_vla_ros.execution.resize import resize_all
from mem_vla_ros.sim.seeds import EVALUATION, VALIDATION
from mem_vla_ros.training.episode import Episode, EpisodeSource
from mem_vla_ros.training.joined_episodes import JoinedEpisodes
from mem_vla_ros.training.loaded_episodes import LoadedEpisodes
from mem_vla_ros.training.sim_episodes import SimEpisodes


def open_episodes(sources: Sequence[Path | str], settings: SourceSettings) -> EpisodeSource:
    """
    Return the episodes of all sources as one set to train on.

    Episodes of the simulator count only if they were solved and have a training seed.

    :param settings: With the image size of the model.
    :raises MemVlaError: if a source cannot be read whole, or lacks cameras or joints.
    """
    paths = [Path(source) for source in sources]
    collected = [path for path in paths if kind_of(path) == 'collect']
    opened: list[EpisodeSource] = [SimEpisodes(collected)] if collected else []
    opened += [_load(path, settings) for path in paths if path not in collected]
    return opened[0] if len(opened) == 1 else JoinedEpisodes(opened)


def _load(path: Path, settings: SourceSettings) -> LoadedEpisodes:
    if kind_of(path) == 'bag':
        _refuse_reserved_seeds(path)
    return LoadedEpisodes([
        _fitted(path, episode, settings)
        for episode in tqdm(read_source(path, settings), path.name, unit='episode', leave=False)])


def _fitted(path: Path, episode: Episode, settings: SourceSettings) -> Episode:
    """Return the episode with the robot's cameras alone, in the wanted size."""
    wanted = settings.robot.camera_names
    missing = [camera for camera in wanted if camera not in episode.images]
    if missing:
        raise ConfigError(
            f'{str(path)!r} lacks the cameras {missing} of the robot file. '
            f'Got {list(episode.images)}.')
    size = (settings.image_size, settings.image_size)
    return replace(
        episode, task=episode.task or settings.robot.name,
        images={camera: resize_all(episode.images[camera], size) for camera in wanted})


def _refuse_reserved_seeds(bag: Path) -> None:
    """Refuse a bag of the simulator that shows what policies are measured on."""
    with BagStorage(bag) as storage:
        scores = [name for name, topic in storage.topics.items()
                  if name.endswith('/score') and topic.msgtypes[0] == STRING]
        for message in storage.messages(scores):
            seed = json.loads(decode(message.data, message.msgtype).data).get('seed')
            if seed in VALIDATION or seed in EVALUATION:
                raise ConfigError(
                    f'{str(bag)!r} shows seed {seed} of the simulator, which is kept for '
                    'validation or evaluation; nothing is trained on it.')
