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

"""Writes episodes as a LeRobot data set, version 3, without LeRobot."""

import json
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.evaluation.exchange import lerobot_layout as layout
from mem_vla_ros.evaluation.exchange.lerobot_statistics import (
    image_statistics,
    merge_statistics,
    Statistics,
    vector_statistics,
)
from mem_vla_ros.evaluation.exchange.text_table import write_texts
from mem_vla_ros.evaluation.exchange.video_file import CODEC, PIXEL_FORMAT, VideoWriter
from mem_vla_ros.training.episode import Episode


class LeRobotWriter:
    """
    One data set being written; use it in a ``with`` statement.

    :param folder: Made; must be empty or missing.
    :param fps: Steps per second of all episodes.
    :param video_file_mb: Begin another video after this much [MB].
    """

    def __init__(
        self, folder: str | Path, joint_names: tuple[str, ...], fps: int, robot: str = '',
        video_file_mb: float = layout.VIDEO_FILE_MB,
    ) -> None:
        self.folder = Path(folder)
        if self.folder.exists() and any(self.folder.iterdir()):
            raise ConfigError(f'{str(folder)!r} is not empty; nothing is overwritten.')
        self._joint_names = joint_names
        self._fps = fps
        self._robot = robot
        self._video_file_bytes = video_file_mb * 2**20
        self._tasks: dict[str, int] = {}
        self._subtasks: dict[str, int] = {}
        self._rows: list[dict[str, Any]] = []
        self._statistics: list[dict[str, Statistics]] = []
        self._frames = 0
        self._sizes: dict[str, tuple[int, int]] = {}
        self._videos: dict[str, VideoWriter] = {}
        self._video_numbers: dict[str, int] = {}
        self._data: parquet.ParquetWriter | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *exception: object) -> None:
        if kind is None:
            self.close()

    def add(self, episode: Episode) -> None:
        """
        Append one episode.

        :raises ConfigError: if its cameras, image sizes or joints differ from the others.
        """
        self._check(episode)
        length = len(episode)
        row: dict[str, Any] = {
            'episode_index': len(self._rows), 'tasks': [episode.goal], 'length': length,
            **{f'data/{key}': value for key, value in layout.place(0).items()},
            'dataset_from_index': self._frames, 'dataset_to_index': self._frames + length,
            **{f'meta/episodes/{key}': value for key, value in layout.place(0).items()}}
        for camera, images in episode.images.items():
            row |= self._add_video(camera, np.asarray(images))
        self._add_data(episode)
        statistics = {
            layout.STATE: vector_statistics(np.asarray(episode.joints, dtype=np.float64)),
            layout.ACTION: vector_statistics(np.asarray(episode.actions, dtype=np.float64)),
            **{f'{layout.IMAGES}{camera}': image_statistics(np.asarray(images))
               for camera, images in episode.images.items()}}
        self._statistics.append(statistics)
        self._rows.append(row | {
            f'stats/{feature}/{name}': value for feature, items in statistics.items()
            for name, value in items.items()})
        self._frames += length

    def close(self) -> None:
        """
        Finish the data set.

        :raises ConfigError: if no episode was added.
        """
        if not self._rows or self._data is None:
            raise ConfigError('A data set needs at least one episode. Got none.')
        for video in self._videos.values():
            video.close()
        self._data.close()
        meta = self.folder / 'meta'
        episodes = self.folder / layout.EPISODES / f'{layout.FILE.format(**layout.place(0))}'
        path = episodes.with_suffix('.parquet')
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(pa.Table.from_pylist(self._rows), path)
        write_texts(self.folder / layout.TASKS, list(self._tasks), 'task_index')
        write_texts(self.folder / layout.SUBTASKS, list(self._subtasks), 'subtask_index')
        (meta / 'stats.json').write_text(
            json.dumps(merge_statistics(list(self._statistics)), indent=4))
        features = layout.make_features(
            self._joint_names, self._sizes, self._fps, CODEC, PIXEL_FORMAT)
        (meta / 'info.json').write_text(json.dumps(layout.make_info(
            features, self._fps, self._robot, len(self._rows), self._frames,
            len(self._tasks)), indent=4))

    def _check(self, episode: Episode) -> None:
        sizes = {camera: (images.shape[1], images.shape[2])
                 for camera, images in episode.images.items()}
        joints = episode.joints.shape[1]
        self._sizes = self._sizes or sizes
        if sizes != self._sizes or joints != len(self._joint_names):
            raise ConfigError(
                f'All episodes need the same cameras, image sizes and joints: expected '
                f'{self._sizes} and {len(self._joint_names)} joints. Got {sizes} and {joints}.')

    def _add_video(self, camera: str, images: np.ndarray) -> dict[str, Any]:
        key = f'{layout.IMAGES}{camera}'
        video = self._videos.get(camera)
        if video is not None and video.path.stat().st_size > self._video_file_bytes:
            video.close()
            video = None
        if video is None:
            number = self._video_numbers.get(camera, -1) + 1
            self._video_numbers[camera] = number
            path = layout.VIDEO_PATH.format(video_key=key, **layout.place(number))
            video = VideoWriter(self.folder / path, self._fps, images.shape[1:3])
            self._videos[camera] = video
        start = video.seconds
        video.write(images)
        return {
            **{f'videos/{key}/{name}': value
               for name, value in layout.place(self._video_numbers[camera]).items()},
            f'videos/{key}/from_timestamp': start, f'videos/{key}/to_timestamp': video.seconds}

    def _add_data(self, episode: Episode) -> None:
        length, joints = len(episode), len(self._joint_names)
        vector = pa.list_(pa.float32(), joints)
        steps = np.arange(length)
        task = self._tasks.setdefault(episode.goal, len(self._tasks))
        subtasks = [
            self._subtasks.setdefault(text, len(self._subtasks)) for text in episode.subtasks]
        table = pa.table({
            layout.STATE: pa.array(np.asarray(episode.joints, np.float32).tolist(), vector),
            layout.ACTION: pa.array(np.asarray(episode.actions, np.float32).tolist(), vector),
            layout.MEMORY: pa.array(list(episode.memories), pa.string()),
            'timestamp': pa.array((steps / self._fps).astype(np.float32)),
            'frame_index': pa.array(steps, pa.int64()),
            'episode_index': pa.array([len(self._rows)] * length, pa.int64()),
            'index': pa.array(steps + self._frames, pa.int64()),
            'task_index': pa.array([task] * length, pa.int64()),
            'subtask_index': pa.array(subtasks, pa.int64())})
        if self._data is None:
            path = self.folder / layout.DATA_PATH.format(**layout.place(0))
            path.parent.mkdir(parents=True, exist_ok=True)
            self._data = parquet.ParquetWriter(path, table.schema)
        self._data.write_table(table)
