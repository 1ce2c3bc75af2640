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

"""Results: all result files of a folder, by what was evaluated."""

import math
from pathlib import Path
from typing import NamedTuple

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.evaluation.comparisons import Comparison
from mem_vla_ros.evaluation.result_file import read_results, ResultFile
from mem_vla_ros.evaluation.summary import Summary


class Condition(NamedTuple):
    """One row of a table: a task, the share of the grasps that slip, how long the arm is held."""

    task: str
    slip: float = 0.0
    hold: float = 0.0

    @property
    def label(self) -> str:
        """Return the row's name."""
        slips = f', {self.slip:.0%} slips' if self.slip else ''
        return self.task + slips + (f', held for {self.hold:g} s' if self.hold else '')

    @staticmethod
    def of(file: ResultFile) -> 'Condition':
        """Return the row that a file belongs to."""
        return Condition(file.setup.task, file.setup.slip, file.setup.hold)


class Results:
    """
    What has been measured so far; anything may be missing.

    :param files: All that were read.
    """

    def __init__(self, files: list[ResultFile]) -> None:
        #: On other seeds than those of the evaluation: never reported.
        self.left_out = [file for file in files if file.setup.seeds != 'evaluation']
        self.files = [file for file in files if file.setup.seeds == 'evaluation' and file.rows]
        self._by_setup = {
            (file.setup.variant, Condition.of(file), file.setup.through_ros): file
            for file in self.files}

    @staticmethod
    def read(folder: Path) -> 'Results':
        """Read a folder; :raises ConfigError: if there is nothing in it."""
        results = Results(read_results(folder))
        if not results.files:
            raise ConfigError(
                f'No results on evaluation seeds in {str(folder)!r}. memvla evaluate --name ... '
                'writes them.')
        return results

    def get(
        self, variant: str, condition: Condition, through_ros: bool = False,
    ) -> ResultFile | None:
        """Return the rollouts of a variant, or None."""
        return self._by_setup.get((variant, condition, through_ros))

    def summary(
        self, comparison: Comparison, variant: str, condition: Condition,
    ) -> Summary | None:
        """Return what a comparison measures, or None."""
        file = self.get(variant, condition)
        return getattr(file, comparison.measure) if file is not None else None

    def conditions(self, comparison: Comparison) -> list[Condition]:
        """Return the rows of a comparison, disturbed ones only where something was measured."""
        disturbed = {Condition.of(file)[1:] for file in self.files
                     if file.setup.task in comparison.tasks} - {(0.0, 0.0)}
        shown = sorted(disturbed) if comparison.disturbed else []
        return [Condition(task, slip, hold)
                for slip, hold in [(0.0, 0.0), *shown] for task in comparison.tasks]

    def of(self, comparison: Comparison) -> list[ResultFile]:
        """Return the files of a comparison, in the order of its variants and rows."""
        found = (self.get(variant, condition) for variant in comparison.variants
                 for condition in self.conditions(comparison))
        return [file for file in found if file is not None]


def mean_of(summaries: list[Summary | None]) -> Summary | None:
    """Return the mean over some tasks; None if one of them is missing."""
    known = [item for item in summaries if item is not None]
    if not known or len(known) < len(summaries):
        return None
    errors = [item.standard_error for item in known]
    error = None
    if None not in errors:
        error = math.hypot(*errors) / len(known)  # type: ignore[arg-type]
    return Summary(
        sum(item.mean for item in known) / len(known), error,
        sum(item.episodes for item in known))
