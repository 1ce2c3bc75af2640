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

"""Reads episodes from a LeRobot data set, version 3, without LeRobot."""

from collections.abc import Iterator, Mapping
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import dataset as arrow_dataset

from mem_vla_ros.core.errors import MemVlaError
from mem_vla_ros.core.images import decode_compressed_image
from mem_vla_ros.core.types import FloatArray, ImageArray
from mem_vla_ros.evaluation.exchange import lerobot_layout as layout
from mem_vla_ros.evaluation.exchange.text_table import read_texts
from mem_vla_ros.evaluation.exchange.video_file import read_frames
from mem_vla_ros.training.episode import Episode


class LeRobotRejected(MemVlaError):  # noqa: N818
    """A folder is no LeRobot data set of version 3, or lacks something."""


class LeRobotReader:
    """
    A LeRobot data set as a set of episodes.

    :param cameras: Name in the data set -> name that our policies know; None keeps all names.
    :raises LeRobotRejected: if the folder is not such a data set.
    """

    def __init__(self, folder: str | Path, cameras: Mapping[str, str] | None = None) -> None:
        self.folder = Path(folder)
        self.info = self._read_info()
        self.features: dict[str, Any] = self.info['features']
        self.fps = float(self.info['fps'])
        for feature in (layout.STATE, layout.ACTION):
            if feature not in self.features:
                raise LeRobotRejected(
                    f'{str(folder)!r} lacks the feature {feature!r}. '
                    f'Got {sorted(self.features)}.')
        self.cameras = self._camera_names(cameras)
        self._tasks = read_texts(self.folder / layout.TASKS, 'task_index')
        self._subtasks = read_texts(self.folder / layout.SUBTASKS, 'subtask_index')
        self._episodes = self._read_episodes()

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Return the names of the joints; numbers if the data set has none."""
        names = self.features[layout.STATE].get('names')
        if isinstance(names, dict):
            names = next(iter(names.values()))
        size = self.features[layout.STATE]['shape'][0]
        return tuple(names) if names else tuple(f'joint_{index}' for index in range(size))

    def __len__(self) -> int:
        return len(self._episodes)

    def __getitem__(self, index: int) -> Episode:
        """
        Return one episode.

        :raises LeRobotRejected: if its rows are missing.
        :raises VideoRejected: if a video is missing or too short.
        """
        place = self._episodes[index]
        rows = self._read_rows(place)
        length = rows.num_rows
        goal = self._tasks.get(rows['task_index'][0].as_py(), '')
        return Episode(
            times=np.asarray(rows['timestamp'].to_pylist(), dtype=np.float64),
            images={name: self._read_images(key, place, rows)
                    for key, name in self.cameras.items()},
            joints=_matrix(rows, layout.STATE), actions=_matrix(rows, layout.ACTION),
            subtasks=[self._subtasks.get(number, '') for number in _column(
                rows, 'subtask_index', [-1] * length)],
            memories=_column(rows, layout.MEMORY, [''] * length),
            goal=goal, seed=index)

    def texts(self) -> Iterator[str]:
        """Return every goal and subtask once."""
        yield from dict.fromkeys([*self._tasks.values(), *self._subtasks.values()])

    def _read_info(self) -> dict[str, Any]:
        try:
            info = json.loads((self.folder / layout.INFO).read_text(encoding='utf-8'))
        except (OSError, ValueError) as error:
            raise LeRobotRejected(
                f'{str(self.folder)!r} is no LeRobot data set: {error}') from error
        version = str(info.get('codebase_version'))
        if not version.startswith('v3.'):
            raise LeRobotRejected(
                f'{str(self.folder)!r} has version {version!r}, expected v3. LeRobot converts '
                'older ones.')
        return dict(info)

    def _camera_names(self, cameras: Mapping[str, str] | None) -> dict[str, str]:
        """Return feature -> camera name."""
        found = {key: key.removeprefix(layout.IMAGES) for key, feature in self.features.items()
                 if feature['dtype'] in ('video', 'image')}
        if cameras is None:
            return found
        by_name = {name: key for key, name in found.items()}
        unknown = sorted(set(cameras) - by_name.keys())
        if unknown:
            raise LeRobotRejected(f'No cameras {unknown}. Got {sorted(by_name)}.')
        return {by_name[name]: ours for name, ours in cameras.items()}

    def _read_episodes(self) -> list[dict[str, Any]]:
        try:
            table = arrow_dataset.dataset(self.folder / layout.EPISODES).to_table()
        except (OSError, pa.ArrowException) as error:
            raise LeRobotRejected(
                f'{str(self.folder)!r}: episodes cannot be read: {error}') from error
        places = table.select(
            [name for name in table.column_names if not name.startswith('stats/')])
        return sorted(places.to_pylist(), key=lambda row: row['episode_index'])

    def _read_rows(self, place: Mapping[str, Any]) -> pa.Table:
        path = self.folder / self.info['data_path'].format(
            chunk_index=place['data/chunk_index'], file_index=place['data/file_index'])
        try:
            rows = arrow_dataset.dataset(path).to_table(
                filter=arrow_dataset.field('episode_index') == place['episode_index'])
        except (OSError, pa.ArrowException) as error:
            raise LeRobotRejected(f'{str(path)!r} cannot be read: {error}') from error
        if rows.num_rows != place['length']:
            raise LeRobotRejected(
                f"Episode {place['episode_index']} needs {place['length']} rows. "
                f'Got {rows.num_rows} in {str(path)!r}.')
        return rows.sort_by('frame_index')

    def _read_images(self, key: str, place: Mapping[str, Any], rows: pa.Table) -> ImageArray:
        if self.features[key]['dtype'] == 'image':
            cells = rows[key].to_pylist()
            return np.stack([decode_compressed_image(cell['bytes']) for cell in cells])
        path = self.folder / self.info['video_path'].format(
            video_key=key, chunk_index=place[f'videos/{key}/chunk_index'],
            file_index=place[f'videos/{key}/file_index'])
        return read_frames(
            path, place[f'videos/{key}/from_timestamp'], rows.num_rows, self.fps)


def _matrix(rows: pa.Table, name: str) -> FloatArray:
    return np.array(rows[name].to_pylist(), dtype=np.float64)


def _column(rows: pa.Table, name: str, default: list[Any]) -> list[Any]:
    return rows[name].to_pylist() if name in rows.column_names else default
