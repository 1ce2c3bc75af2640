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

"""The evaluation report as tables in a terminal."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mem_vla_ros.evaluation.evaluation_report import EvaluationReport
from mem_vla_ros.evaluation.metrics.catalogue import METRICS

ARROWS = {'lower': '↓', 'higher': '↑', '': ''}


def print_report(report: EvaluationReport, console: Console) -> None:
    """Print what was evaluated, the numbers, and what is missing from them."""
    for problem in report.problems:
        console.print(f'[red]INCOMPLETE[/red] {escape(problem)}', soft_wrap=True)
    for result in report.results:
        for warning in result.warnings:
            console.print(
                f'[yellow]note[/yellow] {escape(f"{result.bag}, {result.variant}: {warning}")}',
                soft_wrap=True)
    console.print(_metric_table(report))
    latencies = _latency_table(report)
    if latencies.row_count:
        console.print(latencies)
    for reason, episodes in report.skipped().items():
        console.print(
            escape(f'not evaluated: {reason} [{len(episodes)} episodes]'), style='dim',
            soft_wrap=True)


def _metric_table(report: EvaluationReport) -> Table:
    table = Table(title=f'{report.robot}: {len(report.bags)} bags')
    table.add_column('metric', no_wrap=True)
    summaries = {variant: report.summary(variant) for variant in report.variants}
    for variant in report.variants:
        table.add_column(escape(variant), justify='right', no_wrap=True)
    table.add_row('episodes', *(
        str(sum(len(result.episodes) for result in report.results if result.variant == variant))
        for variant in report.variants), end_section=True)
    for name, metric in METRICS.items():
        if any(name in summary for summary in summaries.values()):
            cells = [summary[name].text() if name in summary else '-'
                     for summary in summaries.values()]
            label = f'{metric.label} [{metric.unit}] {ARROWS[metric.better]}'
            table.add_row(escape(label.strip()), *cells)
    return table


def _latency_table(report: EvaluationReport) -> Table:
    table = Table(title='Time per answer on this machine (not part of the results)')
    for column in ('variant', 'level', 'answers', 'p50 [ms]', 'p95 [ms]', 'max [ms]'):
        table.add_column(escape(column))
    for variant in report.variants:
        for level, item in report.machine_latency(variant).items():
            table.add_row(
                escape(variant), level.replace('_', ' '), str(item.count),
                *(f'{1e3 * value:.1f}' for value in (item.p50_s, item.p95_s, item.max_s)))
    return table
