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
Result file: every rollout of one variant on one task, with all that is needed to repeat it.

    results/<variant>/<task>[-slip<share>][-hold<seconds>][-through_ros].json
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
import hashlib
import json
import os
from pathlib import Path
import shlex
from typing import Any

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.evaluation.rollouts import EXPERT, RolloutJob, Row
from mem_vla_ros.evaluation.summary import Summary

VERSION = 1


@dataclass(frozen=True)
class Setup:
    """
    What was evaluated: rollouts of the same setup, and only those, belong together.

    :param seeds: Which range of seeds, see ``sim.seeds``.
    :param checkpoints: Level -> SHA-256 of its weights.
    :param settings: How episodes were played.
    """

    variant: str
    task: str
    seeds: str
    through_ros: bool
    checkpoints: dict[str, str]
    settings: dict[str, Any]

    @staticmethod
    def of(job: RolloutJob, variant: str, seeds: str, through_ros: bool) -> 'Setup':
        """Return the setup of a job; :raises ConfigError: if there is no checkpoint."""
        folders = {'low': job.low, 'high': job.high}
        return Setup(
            variant, job.task, seeds, through_ros,
            {level: weights_hash(folder) for level, folder in folders.items() if folder},
            {**asdict(job.settings), 'slip': job.slip, 'image_size': job.image_size,
             # Not in files that are older than it.
             **({'hold': job.hold} if job.hold else {})})

    @property
    def slip(self) -> float:
        """Return the share of the grasps that slipped."""
        return float(self.settings['slip'])

    @property
    def hold(self) -> float:
        """Return how long the arm was held [s]."""
        return float(self.settings.get('hold', 0.0))

    def path_in(self, results: Path) -> Path:
        """Return where the file of this setup is."""
        conditions = [f'-slip{self.slip:g}'] if self.slip else []
        conditions += [f'-hold{self.hold:g}'] if self.hold else []
        conditions += ['-through_ros'] if self.through_ros else []
        return results / self.variant / f"{self.task}{''.join(conditions)}.json"


@dataclass
class ResultFile:
    """
    Rollouts of one setup, in the order of their seeds.

    :param provenance: Command, date and machine of the last run that added to it.
    :param path: Where it is kept; None keeps it in RAM only.
    """

    setup: Setup
    provenance: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    path: Path | None = None

    @staticmethod
    def read(path: Path) -> 'ResultFile':
        """Read a file; :raises ConfigError: if it is not one of ours."""
        try:
            document = json.loads(path.read_text(encoding='utf-8'))
            if document['version'] != VERSION:
                raise ConfigError(
                    f"Result file {str(path)!r} has version {document['version']}. "
                    f'Allowed: {VERSION}.')
            return ResultFile(
                Setup(**document['setup']), document['provenance'], document['rollouts'], path)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(f'Result file {str(path)!r} cannot be read: {error!r}') from error

    @staticmethod
    def resume(setup: Setup, provenance: dict[str, str], results: Path | None) -> 'ResultFile':
        """
        Go on with the file of a setup, or begin it.

        :param results: Folder of all results; None keeps nothing.
        :raises ConfigError: if the file holds rollouts of another setup.
        """
        if results is None:
            return ResultFile(setup, provenance)
        path = setup.path_in(results)
        if not path.exists():
            return ResultFile(setup, provenance, path=path)
        known = ResultFile.read(path)
        if known.setup != setup:
            old, new = asdict(known.setup), asdict(setup)
            differing = {key: (old[key], new[key]) for key in new if old[key] != new[key]}
            raise ConfigError(
                f'{str(path)!r} holds rollouts of another setup. Differing (there, here): '
                f'{differing}. Remove it, or choose another --name.')
        return ResultFile(setup, provenance, known.rows, path)

    def missing(self, seeds: Iterable[int]) -> list[int]:
        """Return the seeds that have not been played."""
        played = {row['seed'] for row in self.rows}
        return [seed for seed in seeds if seed not in played]

    def add(self, row: Row) -> None:
        """Take in one rollout, and save it."""
        self.rows = sorted([*self.rows, row], key=lambda item: item['seed'])
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            temporary = self.path.with_suffix('.tmp')
            temporary.write_text(self._text(), encoding='utf-8')
            os.replace(temporary, self.path)

    @property
    def success(self) -> Summary:
        """Return the share of solved episodes."""
        return Summary.of([float(row['success']) for row in self.rows])

    @property
    def points(self) -> Summary:
        """Return the share of the points."""
        return Summary.of([row['points'] / row['max_points'] for row in self.rows])

    @property
    def failures(self) -> dict[str, int]:
        """Return how often each reason ended an episode without success, most frequent first."""
        return dict(Counter(
            row['reason'] for row in self.rows if not row['success']).most_common())

    def text(self) -> str:
        """Return the result in one line."""
        solved = sum(row['success'] for row in self.rows)
        failures = ', '.join(f'{reason} ({count})' for reason, count in self.failures.items())
        return (f'{self.setup.task}: {solved} of {len(self.rows)} solved, '
                f'{self.success.percent()}; points {self.points.percent()}'
                + (f'; failures: {failures}' if failures else ''))

    def _text(self) -> str:
        """Return JSON with one line per rollout."""
        head = json.dumps({
            'version': VERSION, 'setup': asdict(self.setup), 'provenance': self.provenance,
            'summary': {'success': asdict(self.success), 'points': asdict(self.points),
                        'failures': self.failures}}, indent=1)
        rows = ',\n'.join(f'  {json.dumps(row)}' for row in self.rows)
        return head.removesuffix('\n}') + f',\n "rollouts": [\n{rows}\n ]\n}}\n'


def read_results(folder: Path) -> list[ResultFile]:
    """Return all result files below a folder, in the order of their names."""
    return [ResultFile.read(path) for path in sorted(folder.glob('*/*.json'))]


def shown_command(arguments: Sequence[str]) -> str:
    """Return a command line for others: without what is above the last folders of a path."""
    return shlex.join(
        '/'.join(Path(item).parts[-3:]) if Path(item).is_absolute() else item
        for item in arguments)


def weights_hash(folder: str) -> str:
    """Return the SHA-256 of a checkpoint; :raises ConfigError: if there is none."""
    if folder == EXPERT:
        return EXPERT
    path = Path(folder) / 'model.safetensors'
    try:
        with path.open('rb') as file:
            return hashlib.file_digest(file, 'sha256').hexdigest()
    except OSError as error:
        raise ConfigError(
            f'No checkpoint in {folder!r}: {path.name} cannot be read: {error.strerror}. '
            'memvla train writes one to <run>/checkpoint.') from error
