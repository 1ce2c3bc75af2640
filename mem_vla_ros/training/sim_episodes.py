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

"""Demonstrations collected in simulation, as training episodes."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.sim.dataset import Dataset
from mem_vla_ros.sim.seeds import TRAINING
from mem_vla_ros.training.episode import Episode


class SimEpisodes:
    """
    The solved episodes of some data set folders, of training seeds only.

    :raises ConfigError: if a folder is no data set, or nothing is left.
    """

    def __init__(self, folders: Sequence[Path | str]) -> None:
        self._datasets = [Dataset(folder) for folder in folders]
        self._index = [
            (dataset, number) for dataset in self._datasets
            for number, entry in enumerate(dataset.entries)
            if entry['success'] and entry['seed'] in TRAINING]
        if not self._index:
            raise ConfigError(
                f'{[str(folder) for folder in folders]} hold no solved episode of the training '
                f'seeds {TRAINING.start} to {TRAINING.stop - 1}.')

    def __len__(self) -> int:
        return len(self._index)

    def __getitem__(self, index: int) -> Episode:
        dataset, number = self._index[index]
        return episode_of(dataset, number)

    def task_of(self, index: int) -> str:
        """Return the task of an episode."""
        dataset, number = self._index[index]
        return str(dataset.entries[number]['task'])

    def texts(self) -> Iterator[str]:
        """Return every goal, subtask and memory once."""
        seen: set[str] = set()
        for dataset, number in self._index:
            entry = dataset.entries[number]
            found = [entry['goal'], *(item['text'] for item in entry['subtasks']),
                     *(item['text'] for item in entry['memories'])]
            yield from (text for text in found if text not in seen)
            seen.update(found)


def episode_of(dataset: Dataset, number: int) -> Episode:
    """Return an episode of a data set, whatever its seed and outcome."""
    recording = dataset[number]
    entry, length = recording.entry, len(recording.joints)
    return Episode(
        times=dataset.header['dt'] * np.arange(length, dtype=np.float64),
        images=recording.images, joints=recording.joints, actions=recording.actions,
        subtasks=_per_step(entry['subtasks'], length),
        memories=_per_step(entry['memories'], length),
        goal=entry['goal'], task=entry['task'], seed=entry['seed'],
        told=_per_step(entry['told'], length) if 'told' in entry else None,
        kept=_per_step(entry['kept'], length) if 'kept' in entry else None,
        failed=np.isin(np.arange(length), [
            again['start'] for before, again in pairwise(entry['subtasks'])
            if before['text'] == again['text']]),
        taught=~np.isin(np.arange(length), entry.get('mistakes', [])))


def _per_step(items: Sequence[dict[str, Any]], length: int) -> list[str]:
    """Return the text of each step, from texts that hold until the next one begins."""
    texts: list[str] = []
    for item, after in zip(items, [*items[1:], {'start': length}], strict=True):
        texts += [item['text']] * (after['start'] - item['start'])
    return texts
