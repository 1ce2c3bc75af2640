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
The folder of a training run: resumable, and readable while it runs.

::

    settings.json          TrainConfig of the run
    snapshot-N.safetensors weights, average and optimiser states after the last snapshot
    progress.json          the step that the snapshot belongs to
    log.csv                one line per logged step
    rollouts.csv           share of solved episodes by task, for each time it was measured
    tensorboard/           both for TensorBoard
    checkpoint/            the averaged weights, ready to use
"""

import csv
import json
import os
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from torch import Tensor

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.training.train_config import TrainConfig


class RunFolder:
    """Reads and writes the files of one run."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.path.mkdir(parents=True, exist_ok=True)
        self._board: Any = None

    @property
    def checkpoint(self) -> Path:
        """Return where the weights to use are."""
        return self.path / 'checkpoint'

    def keep_settings(self, config: TrainConfig) -> None:
        """
        Write the settings, or check that a resumed run has the same.

        :raises ConfigError: naming the settings that differ.
        """
        path = self.path / 'settings.json'
        if path.exists():
            # A setting that did not exist when the run began had its default.
            before = _plain(TrainConfig()) | json.loads(path.read_text(encoding='utf-8'))
            changed = [name for name, value in _plain(config).items() if value != before[name]]
            if changed:
                raise ConfigError(
                    f'{self.path} was begun with other settings: {changed}. '
                    'Take a new folder, or the same settings to resume.')
        path.write_text(json.dumps(config.to_dict(), indent=2) + '\n', encoding='utf-8')

    def save_snapshot(self, tensors: dict[str, Tensor], step: int, seconds: float) -> None:
        """Replace the snapshot; a crash leaves the old or the new one, never half of one."""
        name = f'snapshot-{step}.safetensors'
        save_file(tensors, self.path / f'{name}.tmp')
        os.replace(self.path / f'{name}.tmp', self.path / name)
        progress = self.path / 'progress.json.tmp'
        progress.write_text(json.dumps({'step': step, 'seconds': seconds, 'file': name}))
        os.replace(progress, self.path / 'progress.json')
        for old in self.path.glob('snapshot-*.safetensors'):
            if old.name != name:
                old.unlink()

    def load_snapshot(self) -> tuple[dict[str, Tensor], int, float] | None:
        """Return tensors, step and seconds of the last snapshot, or None at a fresh start."""
        path = self.path / 'progress.json'
        if not path.exists():
            return None
        progress = json.loads(path.read_text(encoding='utf-8'))
        tensors = load_file(self.path / progress['file'])
        return tensors, int(progress['step']), float(progress['seconds'])

    def log(self, step: int, values: dict[str, float]) -> None:
        """Append one line to log.csv and one point per value to TensorBoard."""
        self._append('log.csv', step, values)
        for name, value in values.items():
            self._writer().add_scalar(name, value, step)

    def log_rollouts(self, step: int, solved: dict[str, float]) -> None:
        """Append one line to rollouts.csv and one point per task to TensorBoard."""
        self._append('rollouts.csv', step, solved)
        for task, share in solved.items():
            self._writer().add_scalar(f'solved/{task}', share, step)

    def _append(self, name: str, step: int, values: dict[str, float]) -> None:
        path = self.path / name
        columns = self._columns(path) or ['step', *values]
        with path.open('a', newline='', encoding='utf-8') as file:
            writer = csv.DictWriter(file, columns, extrasaction='ignore', restval='')
            if file.tell() == 0:
                writer.writeheader()
            writer.writerow({'step': step, **values})

    def _columns(self, path: Path) -> list[str] | None:
        if not path.exists():
            return None
        with path.open(newline='', encoding='utf-8') as file:
            return next(csv.reader(file), None)

    def _writer(self) -> Any:
        if self._board is None:
            from tensorboardX import SummaryWriter
            self._board = SummaryWriter(str(self.path / 'tensorboard'))
        return self._board

    def close(self) -> None:
        """Flush what TensorBoard buffers."""
        if self._board is not None:
            self._board.close()


def _plain(config: TrainConfig) -> dict[str, Any]:
    """Return the settings as a file would give them back: lists instead of tuples."""
    values: dict[str, Any] = json.loads(json.dumps(config.to_dict()))
    return values
