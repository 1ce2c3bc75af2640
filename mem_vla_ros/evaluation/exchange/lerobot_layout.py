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
Where a LeRobot data set, version 3, keeps what.

::

    meta/info.json                              features, rate, paths, totals
    meta/stats.json                             minimum, maximum, mean, deviation of each feature
    meta/tasks.parquet, meta/subtasks.parquet   text -> index
    meta/episodes/chunk-000/file-000.parquet    one row per episode: where its data and videos are
    data/chunk-000/file-000.parquet             one row per step, several episodes in a file
    videos/<camera>/chunk-000/file-000.mp4      frames, several episodes in a file

Our memory text is one more column, ``memory``; LeRobot carries it along.
"""

from collections.abc import Mapping, Sequence
from typing import Any

VERSION = 'v3.0'
INFO = 'meta/info.json'
STATS = 'meta/stats.json'
TASKS = 'meta/tasks.parquet'
SUBTASKS = 'meta/subtasks.parquet'
EPISODES = 'meta/episodes'
FILE = 'chunk-{chunk_index:03d}/file-{file_index:03d}'
DATA_PATH = f'data/{FILE}.parquet'
VIDEO_PATH = f'videos/{{video_key}}/{FILE}.mp4'

STATE = 'observation.state'
ACTION = 'action'
IMAGES = 'observation.images.'
MEMORY = 'memory'
FILES_PER_CHUNK = 1000
DATA_FILE_MB = 100
VIDEO_FILE_MB = 200

# Columns that every data set has.
_INDEX_FEATURES = {
    'timestamp': 'float32', 'frame_index': 'int64', 'episode_index': 'int64', 'index': 'int64',
    'task_index': 'int64', 'subtask_index': 'int64'}


def make_features(
    joint_names: Sequence[str], image_sizes: Mapping[str, tuple[int, int]], fps: int,
    codec: str, pixel_format: str,
) -> dict[str, Any]:
    """
    Return the features of ``info.json``.

    :param image_sizes: Camera -> height and width [px].
    """
    vector = {'dtype': 'float32', 'shape': [len(joint_names)], 'names': list(joint_names)}
    features: dict[str, Any] = {STATE: dict(vector), ACTION: dict(vector)}
    for camera, (height, width) in image_sizes.items():
        features[f'{IMAGES}{camera}'] = {
            'dtype': 'video', 'shape': [height, width, 3],
            'names': ['height', 'width', 'channels'],
            'info': {
                'video.height': height, 'video.width': width, 'video.codec': codec,
                'video.pix_fmt': pixel_format, 'video.is_depth_map': False, 'video.fps': fps,
                'video.channels': 3, 'has_audio': False}}
    features[MEMORY] = {'dtype': 'string', 'shape': [1], 'names': None}
    return features | {
        name: {'dtype': dtype, 'shape': [1], 'names': None}
        for name, dtype in _INDEX_FEATURES.items()}


def make_info(
    features: Mapping[str, Any], fps: int, robot: str, episodes: int, frames: int, tasks: int,
) -> dict[str, Any]:
    """Return the content of ``info.json``."""
    return {
        'codebase_version': VERSION, 'robot_type': robot, 'total_episodes': episodes,
        'total_frames': frames, 'total_tasks': tasks, 'chunks_size': FILES_PER_CHUNK,
        'data_files_size_in_mb': DATA_FILE_MB, 'video_files_size_in_mb': VIDEO_FILE_MB,
        'fps': fps, 'splits': {'train': f'0:{episodes}'}, 'data_path': DATA_PATH,
        'video_path': VIDEO_PATH, 'features': dict(features)}


def place(file_number: int) -> dict[str, int]:
    """Return chunk and file index of the n-th file."""
    return {
        'chunk_index': file_number // FILES_PER_CHUNK,
        'file_index': file_number % FILES_PER_CHUNK}
