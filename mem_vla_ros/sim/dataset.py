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
Dataset: demonstrations on disk.

::

    <folder>/
    |- dataset.json           format, image size, cameras, joint names, seconds per step
    |- episodes.jsonl         one line per episode: its entry (see recording.py) and its file
    `- episodes/
       |- <task>_<seed>.npz   arrays images_<camera>, joints, actions; deflated, no pickle
       `- <task>_<seed>/      or the same arrays as .npy files, which are memory-mapped

An episode counts once its line is written; a run that was stopped leaves no half episode.
"""

from collections.abc import Mapping
import json
import os
from pathlib import Path
from typing import Any
import zipfile

import numpy as np

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.sim.recording import Recording

FORMAT = 'mem_vla_ros/episodes/1'


class Dataset:
    """Reads and extends one folder of demonstrations."""

    def __init__(self, folder: str | Path) -> None:
        """
        Open a folder.

        :raises ConfigError: if it holds no data set of ours.
        """
        self.folder = Path(folder)
        try:
            text = (self.folder / 'dataset.json').read_text(encoding='utf-8')
        except OSError as error:
            raise ConfigError(f'{str(folder)!r} is no data set: {error.strerror}.') from error
        self.header: dict[str, Any] = json.loads(text)
        if self.header.get('format') != FORMAT:
            raise ConfigError(
                f"{str(folder)!r} has format {self.header.get('format')!r}, expected {FORMAT!r}.")
        self.entries: list[dict[str, Any]] = self._read_entries()

    @staticmethod
    def create(folder: str | Path, header: Mapping[str, Any]) -> 'Dataset':
        """
        Make a folder, or open it if it is there already with the same header.

        :raises ConfigError: if it is there with another header.
        """
        path = Path(folder)
        wanted = {'format': FORMAT, **header}
        if not (path / 'dataset.json').exists():
            (path / 'episodes').mkdir(parents=True, exist_ok=True)
            _write_whole(path / 'dataset.json', json.dumps(wanted, indent=1).encode())
        dataset = Dataset(path)
        if dataset.header != wanted:
            raise ConfigError(
                f'{str(path)!r} holds other data: {dataset.header}. Asked for {wanted}.')
        return dataset

    def _read_entries(self) -> list[dict[str, Any]]:
        index = self.folder / 'episodes.jsonl'
        if not index.exists():
            return []
        lines = index.read_text(encoding='utf-8').splitlines(keepends=True)
        # A line without an end was cut off by a kill.
        return [json.loads(line) for line in lines if line.endswith('\n')]

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, index: int) -> Recording:
        """Return one episode; its images are memory-mapped if they were stored so."""
        entry = self.entries[index]
        path = self.folder / 'episodes' / entry['file']
        names = [*(f'images_{camera}' for camera in self.header['cameras']), 'joints', 'actions']
        if path.is_dir():
            arrays = {name: np.load(path / f'{name}.npy', mmap_mode='r', allow_pickle=False)
                      for name in names}
        else:
            with np.load(path, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in names}
        images = {camera: arrays[f'images_{camera}'] for camera in self.header['cameras']}
        return Recording(images, arrays['joints'], arrays['actions'], entry)

    def add(self, entry: Mapping[str, Any]) -> None:
        """Append the line of an episode whose arrays are written."""
        index = self.folder / 'episodes.jsonl'
        whole = ''.join(json.dumps(item) + '\n' for item in self.entries)
        if index.exists() and index.stat().st_size != len(whole.encode()):
            _write_whole(index, whole.encode())
        with index.open('a', encoding='utf-8') as stream:
            stream.write(json.dumps(dict(entry)) + '\n')
        self.entries.append(dict(entry))


def write_arrays(folder: Path, recording: Recording, compress: bool) -> dict[str, Any]:
    """Write the arrays of an episode and return its complete entry."""
    name = f"{recording.entry['task']}_{recording.entry['seed']:06d}"
    arrays = {f'images_{camera}': images for camera, images in recording.images.items()}
    arrays |= {'joints': recording.joints, 'actions': recording.actions}
    if not compress:
        (folder / 'episodes' / name).mkdir(exist_ok=True)
        for key, array in arrays.items():
            np.save(folder / 'episodes' / name / f'{key}.npy', array, allow_pickle=False)
        return {**recording.entry, 'file': name}
    path = folder / 'episodes' / f'{name}.npz'
    partial = path.with_suffix('.partial')
    # Level 1 takes half the time of numpy's own level for a few per cent of size.
    with zipfile.ZipFile(partial, 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for key, array in arrays.items():
            with archive.open(f'{key}.npy', 'w') as stream:
                np.lib.format.write_array(stream, array, allow_pickle=False)
    os.replace(partial, path)
    return {**recording.entry, 'file': path.name}


def _write_whole(path: Path, content: bytes) -> None:
    partial = path.with_suffix('.partial')
    partial.write_bytes(content)
    os.replace(partial, path)
