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

"""The tables of the results, as texts; a cell that was not measured is a dash."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from mem_vla_ros.evaluation.comparisons import Comparison, COMPARISONS, VARIANTS
from mem_vla_ros.evaluation.result_file import ResultFile
from mem_vla_ros.evaluation.results import Condition, mean_of, Results
from mem_vla_ros.evaluation.summary import Summary
from mem_vla_ros.sim.tasks.registry import TASKS

MISSING = '-'


@dataclass(frozen=True)
class ResultTable:
    """
    One table with what it was made by.

    :param files: Where its numbers come from; empty if other tables say so already.
    :param figure: Name of the figure that shows the same; empty if there is none.
    """

    title: str
    text: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    files: tuple[ResultFile, ...] = ()
    figure: str = ''

    @property
    def commands(self) -> list[str]:
        """Return every command that added to it, once."""
        return list(dict.fromkeys(file.provenance['command'] for file in self.files))

    @property
    def origin(self) -> str:
        """Return how many rollouts, when and where."""
        counts = sorted({len(file.rows) for file in self.files})
        rollouts = ' to '.join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
        dates = sorted({file.provenance['date'] for file in self.files})
        machines = sorted({file.provenance['machine'] for file in self.files})
        return f"{rollouts} rollouts each; {', '.join(dates)}; {'; '.join(machines)}."


def result_tables(results: Results) -> list[ResultTable]:
    """Return every table that has at least one measured cell."""
    tables = [_comparison(results, comparison) for comparison in COMPARISONS
              if results.of(comparison)]
    return tables + [table for table in (_through_ros(results), _failures(results)) if table.rows]


def label_of(variant: str) -> str:
    """Return the name of a variant for a person."""
    return VARIANTS[variant].label if variant in VARIANTS else variant


def _comparison(results: Results, comparison: Comparison) -> ResultTable:
    def row(label: str, chance: str, cells: Iterable[Summary | None]) -> tuple[str, ...]:
        return label, *((chance,) if comparison.chance else ()), *map(_cell, cells)

    rows = []
    for (slip, hold), group in groupby(results.conditions(comparison), key=lambda one: one[1:]):
        measured = [
            (one, [results.summary(comparison, variant, one) for variant in comparison.variants])
            for one in group]
        rows += [row(one.label, f'{TASKS[one.task].chance:.0%}', cells)
                 for one, cells in measured]
        columns = zip(*(cells for _, cells in measured), strict=True)
        rows.append(row(Condition('mean', slip, hold).label, '',
                        (mean_of(list(column)) for column in columns)))
    return ResultTable(
        comparison.title, comparison.text,
        ('task', *(('chance',) if comparison.chance else ()),
         *(label_of(variant) for variant in comparison.variants)),
        tuple(rows), tuple(results.of(comparison)), comparison.name)


def _through_ros(results: Results) -> ResultTable:
    rows, files = [], []
    for file in results.files:
        if not file.setup.through_ros:
            continue
        other = results.get(file.setup.variant, Condition.of(file))
        files += [file] if other is None else [file, other]
        rows.append((
            Condition.of(file).label, label_of(file.setup.variant),
            _cell(other.success if other else None), _cell(file.success),
            f'{100 * (file.success.mean - other.success.mean):+.0f}' if other else MISSING))
    return ResultTable(
        'Through ROS',
        'Share of solved episodes in one process, where time stands still while a policy thinks, '
        'and through the whole graph in real time.',
        ('task', 'variant', 'in process', 'through ROS', 'difference'), tuple(rows), tuple(files))


def _failures(results: Results) -> ResultTable:
    files = sorted((file for file in results.files if file.failures), key=_order)
    rows = [(
        label_of(file.setup.variant),
        Condition.of(file).label + (', through ROS' if file.setup.through_ros else ''),
        f'{sum(file.failures.values())} of {len(file.rows)}',
        ', '.join(f'{reason} ({count})' for reason, count in file.failures.items()))
        for file in files]
    return ResultTable(
        'Why episodes failed', 'How often each reason ended an episode without success.',
        ('variant', 'task', 'failed', 'reasons'), tuple(rows))


def _order(file: ResultFile) -> tuple[bool, int]:
    """Return where the failures of a file are listed; unknown variants come last."""
    known = list(VARIANTS)
    variant = file.setup.variant
    return file.setup.through_ros, known.index(variant) if variant in known else len(known)


def _cell(summary: Summary | None) -> str:
    return MISSING if summary is None else summary.percent()
