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

"""The results as one HTML page that needs nothing else."""

from collections.abc import Mapping
from html import escape

from matplotlib.figure import Figure

from mem_vla_ros.evaluation.html_page import (
    html_cell,
    html_figure,
    html_number,
    html_page,
    html_table,
)
from mem_vla_ros.evaluation.result_tables import result_tables, ResultTable
from mem_vla_ros.evaluation.results import Results


def results_html(
    results: Results, notes: str, figures: Mapping[str, Figure], latency: Figure | None,
) -> str:
    """
    Return the page.

    :param notes: Markdown by hand, shown as plain text.
    :param figures: By name, as the tables know them.
    """
    rollouts = sum(len(file.rows) for file in results.files)
    parts = [
        f'<p class="good">{rollouts} rollouts in {len(results.files)} files, all on evaluation '
        'seeds. Mean ± standard error; a dash is a cell that was not measured.</p>']
    if results.left_out:
        names = ', '.join(f'{file.setup.variant}/{file.setup.task}' for file in results.left_out)
        parts.append(f'<p class="bad">Left out, on other seeds: {escape(names)}.</p>')
    if notes:
        parts.append(f'<h2>Notes</h2><div class="notes">{escape(notes)}</div>')
    parts += [_section(table, figures) for table in result_tables(results)]
    if latency is not None:
        parts.append('<h2>Latency of the video encoder</h2>' + html_figure(
            latency, 'make bench-encoder: processor time of one step.'))
    return html_page('Results', '\n'.join(parts))


def _section(table: ResultTable, figures: Mapping[str, Figure]) -> str:
    figure = html_figure(figures[table.figure], table.text) if table.figure else (
        f'<p>{escape(table.text)}</p>')
    rows = [[html_cell(row[0]), *(_cell(text) for text in row[1:])] for row in table.rows]
    return (f'<h2>{escape(table.title)}</h2>{figure}'
            f'<div class="wide">{html_table(list(table.head), rows)}</div>{_origin(table)}')


def _origin(table: ResultTable) -> str:
    if not table.files:
        return ''
    commands = escape('\n'.join(table.commands))
    return (f'<p class="dim">{escape(table.origin)}</p>'
            f'<details><summary>Commands</summary><pre>{commands}</pre></details>')


def _cell(text: str) -> str:
    return html_number(text) if text[:1] in '-+0123456789' else html_cell(text)
