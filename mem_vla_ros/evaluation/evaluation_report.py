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

"""All results of an evaluation in one document: mean ± standard error, and what is wrong."""

from dataclasses import asdict, dataclass
import json
from pathlib import Path
from typing import Any

from mem_vla_ros.evaluation.bag_result import BagResult
from mem_vla_ros.evaluation.metrics.catalogue import METRICS
from mem_vla_ros.evaluation.metrics.latency import Latency
from mem_vla_ros.evaluation.replay_settings import ReplaySettings
from mem_vla_ros.evaluation.summary import Summary

VERSION = 1


@dataclass(frozen=True)
class EvaluationReport:
    """Results of every bag with every variant, in the order of the command line."""

    robot: str
    settings: ReplaySettings
    results: tuple[BagResult, ...]

    @property
    def variants(self) -> list[str]:
        """Return the names of the variants."""
        return list(dict.fromkeys(result.variant for result in self.results))

    @property
    def bags(self) -> list[str]:
        """Return the names of the bags."""
        return list(dict.fromkeys(result.bag for result in self.results))

    @property
    def problems(self) -> list[str]:
        """Return what is missing from the numbers; empty if every bag is in them whole."""
        problems = []
        for result in self.results:
            where = f'{result.bag}, {result.variant}'
            if result.error:
                problems.append(f'{where}: not evaluated. {result.error}')
            problems += [f'{where}: damaged. {damage}' for damage in result.damage]
        return problems

    def summary(self, variant: str) -> dict[str, Summary]:
        """Return each metric that at least one episode of a variant has."""
        episodes = [
            episode['values'] for result in self.results if result.variant == variant
            for episode in result.episodes]
        found = {name: [values[name] for values in episodes if name in values]
                 for name in METRICS}
        return {name: Summary.of(values) for name, values in found.items() if values}

    def skipped(self) -> dict[str, list[str]]:
        """Return why metrics are missing -> variants and episodes that miss them."""
        reasons: dict[str, list[str]] = {}
        for result in self.results:
            for episode in result.episodes:
                for group, why in episode['skipped'].items():
                    reasons.setdefault(f'{group}: {why}', []).append(
                        f'{episode["name"]} ({result.variant})')
        return reasons

    def machine_latency(self, variant: str) -> dict[str, Latency]:
        """Return how long this machine took for the answers of a variant, by level."""
        levels: dict[str, list[float]] = {}
        for result in self.results:
            if result.variant == variant:
                for level, durations in result.durations_s.items():
                    levels.setdefault(level, []).extend(durations)
        found = {level: Latency.of(values) for level, values in levels.items()}
        return {level: item for level, item in found.items() if item is not None}

    def to_dict(self) -> dict[str, Any]:
        """Return everything that is the same in every run, as plain values."""
        return {
            'version': VERSION, 'complete': not self.problems, 'problems': self.problems,
            'robot': self.robot, 'settings': asdict(self.settings),
            'variants': self.variants, 'bags': self.bags,
            'summary': {
                variant: {name: asdict(item) for name, item in self.summary(variant).items()}
                for variant in self.variants},
            'results': [result.to_dict() for result in self.results]}

    def write_json(self, path: Path) -> None:
        """Write the report; two evaluations of the same bags write the same bytes."""
        path.write_text(json.dumps(self.to_dict(), indent=1) + '\n', encoding='utf-8')
