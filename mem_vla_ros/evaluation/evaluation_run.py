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
An evaluation of several bags and variants, which can be interrupted and taken up again.

Each finished pair of bag and variant is a file in the output folder. A later run with the same
bags and settings takes it from there; anything that has changed is evaluated anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
import hashlib
import json
import os
from pathlib import Path
import re
from typing import Any

from mem_vla_ros.core.robot import Robot
from mem_vla_ros.evaluation.annotations import annotation_file
from mem_vla_ros.evaluation.bag_result import BagResult, evaluate_bag, Progress
from mem_vla_ros.evaluation.evaluation_report import EvaluationReport, VERSION
from mem_vla_ros.evaluation.replay_settings import ReplaySettings
from mem_vla_ros.evaluation.variant import Variant


@dataclass(frozen=True)
class EvaluationRun:
    """
    What to evaluate and where to keep it.

    :param folder: Output folder; made when missing.
    """

    folder: Path
    bags: Sequence[Path]
    variants: Sequence[Variant]
    robot: Robot
    settings: ReplaySettings
    remaps: Mapping[str, str] = field(default_factory=dict)

    def report(self, progress: Progress = lambda seconds: None) -> EvaluationReport:
        """Evaluate whatever is not there yet and return all results."""
        results = [
            self._result(bag, variant, progress)
            for bag in self.bags for variant in self.variants]
        return EvaluationReport(self.robot.name, self.settings, tuple(results))

    def finished(self) -> int:
        """Return how many pairs of bag and variant an earlier run has left."""
        return sum(
            self._read(bag, variant) is not None
            for bag in self.bags for variant in self.variants)

    def _result(self, bag: Path, variant: Variant, progress: Progress) -> BagResult:
        known = self._read(bag, variant)
        if known is not None:
            return known
        result = evaluate_bag(bag, self.robot, variant, self.settings, self.remaps, progress)
        path = self._path(bag, variant)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix('.tmp')
        temporary.write_text(json.dumps({
            'fingerprint': self._fingerprint(bag, variant), 'result': asdict(result)}))
        os.replace(temporary, path)
        return result

    def _read(self, bag: Path, variant: Variant) -> BagResult | None:
        try:
            document = json.loads(self._path(bag, variant).read_text(encoding='utf-8'))
            if document['fingerprint'] != self._fingerprint(bag, variant):
                return None
            return BagResult(**document['result'])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _path(self, bag: Path, variant: Variant) -> Path:
        name = re.sub(r'[^A-Za-z0-9._-]+', '_', f'{bag.name}--{variant.name}')
        code = hashlib.sha256(f'{bag.resolve()} {variant.name}'.encode()).hexdigest()[:8]
        return self.folder / 'results' / f'{name}-{code}.json'

    def _fingerprint(self, bag: Path, variant: Variant) -> str:
        robot: dict[str, Any] = {
            'joints': self.robot.joint_names, 'lower': self.robot.limits.lower.tolist(),
            'upper': self.robot.limits.upper.tolist(),
            'topics': [camera.topic for camera in self.robot.cameras]
            + [self.robot.joint_states_topic, self.robot.command_topic]}
        content = [
            VERSION, _files(bag), variant.name, robot, asdict(self.settings),
            sorted(self.remaps.items()),
            [_files(Path(folder)) for folder in variant.backend.split('+')]]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _files(bag: Path) -> list[tuple[str, int, int]]:
    """Return what tells whether a bag with its annotations, or a checkpoint, has changed."""
    files = [bag] if bag.is_file() else [file for file in bag.rglob('*') if file.is_file()]
    beside = annotation_file(bag)
    files += [beside] if beside is not None else []
    return sorted(
        (str(file.name), file.stat().st_size, file.stat().st_mtime_ns) for file in files)
