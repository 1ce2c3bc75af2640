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

from mem_vla_ros.sim.expert_success import EpisodeResult
from mem_vla_ros.sim.tasks.registry import TASKS

_COLUMNS = ('task', 'ability', 'what must be remembered', 'chance', 'history', 'points')


def list_tasks() -> list[dict[str, str]]:
    """Return one row of texts per task."""
    return [{
        'task': task.name, 'ability': task.ability, 'what must be remembered': task.remembered,
        'chance': f'{task.chance:.0%}', 'history': f'{task.history:g} s',
        'points': f'{task.max_points:g}'} for task in TASKS.values()]


def markdown_table(results: Mapping[str, Sequence[EpisodeResult]] | None = None) -> str:
    """
    Return the suite as a Markdown table.

    :param results: Expert episodes by task, for the columns of measured success and duration.
    """
    columns = [*_COLUMNS, *(('expert', 'duration') if results else ())]
    lines = [f"| {' | '.join(columns)} |", '|---' * len(columns) + '|']
    for row in list_tasks():
        if results:
            episodes = results.get(row['task'], ())
            row |= {'expert': success_text(episodes), 'duration': duration_text(episodes)}
        lines.append(f"| {' | '.join(row[column] for column in columns)} |")
    return '\n'.join(lines)


def success_text(episodes: Sequence[EpisodeResult]) -> str:
    """Return such as ``50 of 50``."""
    return f'{sum(episode.success for episode in episodes)} of {len(episodes)}'


def duration_text(episodes: Sequence[EpisodeResult]) -> str:
    """Return the mean simulated time of the episodes."""
    if not episodes:
        return ''
    return f'{sum(episode.time for episode in episodes) / len(episodes):.0f} s'
