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

"""The results as a page of the documentation."""

from mem_vla_ros.evaluation.result_tables import result_tables, ResultTable
from mem_vla_ros.evaluation.results import Results

#: Where the page finds its figures.
FIGURES = 'figures/results'

_HEAD = (
    '# Results\n\nWritten by `memvla results` from the files in `results/`, which hold every '
    'rollout with its seed; do not edit. Notes belong into `docs/results_notes.md` and are shown '
    'here as they are. Seeds of training, validation and evaluation never meet '
    '(`mem_vla_ros/sim/seeds.py`); every rollout here is on evaluation seeds. Figures are mean ± '
    'standard error; a dash is a cell that was not measured.\n')


def results_page(results: Results, notes: str) -> str:
    """
    Return the page.

    :param notes: Markdown by hand, taken over as it is.
    """
    parts = [_HEAD]
    if notes:
        parts.append(notes.strip() + '\n')
    parts += [_section(table) for table in result_tables(results)]
    parts.append(
        '## Latency of the video encoder\n\nWhat memory costs: processor time of one step against '
        'the frames per camera ([model.md](model.md)).\n\n![latency](figures/encoder_latency.png)'
        '\n\n    make bench-encoder\n')
    return '\n'.join(parts)


def _section(table: ResultTable) -> str:
    lines = [f'## {table.title}', '', table.text, '']
    if table.figure:
        lines += [f'![{table.title.lower()}]({FIGURES}/{table.figure}.png)', '']
    lines += [_line(table.head), '|---' * len(table.head) + '|', *map(_line, table.rows), '']
    if table.files:
        lines += [table.origin, '', *(f'    {command}' for command in table.commands), '']
    return '\n'.join(lines)


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
