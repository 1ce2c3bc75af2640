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

"""Writes training episodes in the format of ``memvla collect``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.execution.resize import resize_all
from mem_vla_ros.sim.dataset import Dataset, write_arrays
from mem_vla_ros.sim.recording import Recording
from mem_vla_ros.training.episode import Episode


class EpisodeFolder:
    """
    Appends episodes to a folder.

    Episodes from a robot are demonstrations: they count as solved. Images become squares, as the
    format wants them.

    :param first_seed: Number of the first episode; a task and a number name an episode.
    :param image_size: Side of the images [px]; 0 takes the longer side of the first.
    :raises ConfigError: if the folder holds other data.
    """

    def __init__(
        self, folder: Path, joint_names: Sequence[str], dt: float, first_seed: int,
        image_size: int = 0,
    ) -> None:
        self._folder = folder
        self._joint_names = list(joint_names)
        self._dt = dt
        self._seed = first_seed
        self._image_size = image_size
        self._dataset: Dataset | None = None

    def add(self, episode: Episode) -> None:
        """
        Write one episode.

        :raises ConfigError: if it has other cameras or joints than the folder.
        """
        if self._dataset is None:
            first = next(iter(episode.images.values()))
            self._image_size = self._image_size or max(first.shape[1:3])
            self._dataset = Dataset.create(self._folder, {
                'image_size': self._image_size, 'cameras': list(episode.images),
                'joint_names': self._joint_names, 'dt': self._dt})
        header = self._dataset.header
        if list(episode.images) != header['cameras'] or (
                episode.joints.shape[1] != len(header['joint_names'])):
            raise ConfigError(
                f"{str(self._folder)!r} holds cameras {header['cameras']} and "
                f"{len(header['joint_names'])} joints. Got {list(episode.images)} and "
                f'{episode.joints.shape[1]}.')
        self._dataset.add(write_arrays(self._folder, self._recording(episode), compress=True))
        self._seed += 1

    def _recording(self, episode: Episode) -> Recording:
        subtasks = _spans(episode.subtasks)
        for span, after in zip(subtasks, [*subtasks[1:], None], strict=True):
            span |= {'end': len(episode) if after is None else after['start'],
                     'succeeded': True}
        entry = {
            'task': episode.task or 'robot', 'seed': self._seed, 'secret': '',
            'goal': episode.goal, 'steps': len(episode), 'success': True, 'points': 1,
            'max_points': 1, 'noise': 0.0, 'subtasks': subtasks,
            'memories': _spans(episode.memories),
            'mistakes': [] if episode.taught is None else np.flatnonzero(~episode.taught).tolist()}
        return Recording(
            {camera: resize_all(images, (self._image_size, self._image_size))
             for camera, images in episode.images.items()},
            np.asarray(episode.joints, dtype=np.float32),
            np.asarray(episode.actions, dtype=np.float32), entry)


def _spans(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return each text with the step from which it holds."""
    spans: list[dict[str, Any]] = []
    for step, text in enumerate(texts):
        if not spans or text != spans[-1]['text']:
            spans.append({'text': text, 'start': step})
    return spans
