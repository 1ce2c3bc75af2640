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
Score sheets: points that people give to episodes on real robots, and their summary.

A sheet is a CSV file with one row per episode; rubrics are in ``config/rubrics/``.
"""

import csv
from dataclasses import dataclass
import math
from pathlib import Path
from statistics import fmean, stdev
import sys
from typing import Any

import yaml

from mem_vla_ros.core.errors import ConfigError

COLUMNS = ('task', 'policy', 'episode', 'points', 'max_points', 'items', 'note')


@dataclass(frozen=True)
class Rubric:
    """What earns points in one task: item name -> points, and what the items mean."""

    name: str
    title: str
    description: str
    points: dict[str, float]
    meanings: dict[str, str]

    @property
    def max_points(self) -> float:
        """Return the points of a perfect episode."""
        return sum(self.points.values())


@dataclass(frozen=True)
class Summary:
    """Mean and standard error over the episodes of one policy in one task."""

    task: str
    policy: str
    episodes: int
    score: float
    score_error: float
    success: float
    success_error: float


def rubric_folder() -> Path:
    """Return the folder of the rubrics, in the source tree or as installed."""
    source = Path(__file__).parents[2] / 'config' / 'rubrics'
    return source if source.is_dir() else Path(sys.prefix, 'share/mem_vla_ros/config/rubrics')


def rubric_names() -> list[str]:
    """Return the names of all rubrics."""
    return sorted(path.stem for path in rubric_folder().glob('*.yaml'))


def load_rubric(name: str) -> Rubric:
    """
    Read a rubric.

    :raises ConfigError: if there is none of this name, or it is not as described above.
    """
    if name not in rubric_names():
        raise ConfigError(f'No rubric {name!r}. Allowed: {rubric_names()}.')
    document: dict[str, Any] = yaml.safe_load(
        (rubric_folder() / f'{name}.yaml').read_text(encoding='utf-8'))
    items = document['items']
    return Rubric(
        document['name'], document['title'], document['description'],
        {item['name']: float(item['points']) for item in items},
        {item['name']: item['description'] for item in items})


def enter_score(
    sheet: str | Path, rubric: Rubric, policy: str, earned: list[str], note: str = '',
    left_out: tuple[str, ...] = (),
) -> int:
    """
    Append one episode to a sheet and return its number.

    :param earned: Names of the items that were reached.
    :param left_out: Items that this episode did not have, such as a seventh ingredient.
    :raises ConfigError: if an item is not in the rubric.
    """
    unknown = sorted({*earned, *left_out} - rubric.points.keys())
    if unknown:
        raise ConfigError(f'{rubric.name} has no items {unknown}. Allowed: {list(rubric.points)}.')
    path = Path(sheet)
    rows = read_sheet(path) if path.exists() else []
    number = 1 + sum(row['task'] == rubric.name and row['policy'] == policy for row in rows)
    possible = sum(points for item, points in rubric.points.items() if item not in left_out)
    with path.open('a', newline='', encoding='utf-8') as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        if not rows:
            writer.writeheader()
        writer.writerow({
            'task': rubric.name, 'policy': policy, 'episode': number, 'max_points': possible,
            'points': sum(rubric.points[item] for item in set(earned)),
            'items': '; '.join(earned), 'note': note})
    return number


def read_sheet(sheet: str | Path) -> list[dict[str, str]]:
    """
    Return the rows of a sheet.

    :raises ConfigError: if it can't be read or is no score sheet.
    """
    try:
        with Path(sheet).open(newline='', encoding='utf-8') as stream:
            reader = csv.DictReader(stream)
            rows = list(reader)
    except OSError as error:
        raise ConfigError(f'Sheet {str(sheet)!r} cannot be read: {error.strerror}.') from error
    if rows and tuple(reader.fieldnames or ()) != COLUMNS:
        raise ConfigError(
            f'{str(sheet)!r} is no score sheet: columns {reader.fieldnames}, '
            f'expected {list(COLUMNS)}.')
    return rows


def summarise(rows: list[dict[str, str]]) -> list[Summary]:
    """Return one summary per task and policy, in the order of first appearance."""
    groups: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        share = float(row['points']) / float(row['max_points'])
        groups.setdefault((row['task'], row['policy']), []).append(share)
    summaries = []
    for (task, policy), shares in groups.items():
        solved = [float(share >= 1.0) for share in shares]
        summaries.append(Summary(
            task, policy, len(shares), *_mean_and_error(shares), *_mean_and_error(solved)))
    return summaries


def _mean_and_error(values: list[float]) -> tuple[float, float]:
    """Return the mean and its standard error, NaN for a single value."""
    error = stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return fmean(values), error
