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

"""The suite as a table: abilities, chance levels, and how well the experts do."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
import json

from mem_vla_ros.sim.expert_success import EpisodeResult
from mem_vla_ros.sim.tasks.registry import TASKS

_STORED = 'assets/expert_success.json'


@dataclass(frozen=True)
class ExpertRecord:
    """How an expert did on the seeds 0, 1, ... of its task."""

    solved: int
    episodes: int
    mean_duration_s: float


def record_of(results: Sequence[EpisodeResult]) -> ExpertRecord:
    """Return the summary of measured episodes."""
    duration = sum(result.time for result in results) / len(results)
    return ExpertRecord(
        sum(result.success for result in results), len(results), round(duration, 1))


def stored_records() -> dict[str, ExpertRecord]:
    """Return what was measured last and came with the package."""
    text = files('mem_vla_ros.sim').joinpath(_STORED).read_text(encoding='utf-8')
    return {task: ExpertRecord(**record) for task, record in json.loads(text).items()}


def records_as_json(records: Mapping[str, ExpertRecord]) -> str:
    """Return the text of the file that ``stored_records`` reads."""
    lines = [f' {json.dumps(task)}: {json.dumps(asdict(record))}'
             for task, record in records.items()]
    return '{\n' + ',\n'.join(lines) + '\n}\n'


def list_tasks(records: Mapping[str, ExpertRecord] | None = None) -> list[dict[str, str]]:
    """
    Return one row of texts per task.

    :param records: How the experts did; None takes what came with the package.
    """
    records = stored_records() if records is None else records
    rows = []
    for task in TASKS.values():
        record = records.get(task.name)
        rows.append({
            'task': task.name, 'ability': task.ability,
            'what must be remembered': task.remembered, 'chance': f'{task.chance:.0%}',
            'history': f'{task.history:g} s', 'points': f'{task.max_points:g}',
            'expert': f'{record.solved} of {record.episodes}' if record else '',
            'duration': f'{record.mean_duration_s:.0f} s' if record else ''})
    return rows


def markdown_table(records: Mapping[str, ExpertRecord] | None = None) -> str:
    """Return the rows as a Markdown table."""
    rows = list_tasks(records)
    lines = [f"| {' | '.join(rows[0])} |", '|---' * len(rows[0]) + '|']
    return '\n'.join(lines + [f"| {' | '.join(row.values())} |" for row in rows])
