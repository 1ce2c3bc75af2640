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

"""The evaluation report as one HTML page that needs nothing else, and its plots as PNG files."""

from html import escape
from pathlib import Path
from string import Template

from mem_vla_ros.evaluation.evaluation_report import EvaluationReport
from mem_vla_ros.evaluation.html_page import (
    html_cell,
    html_figure,
    html_number,
    html_page,
    html_table,
)
from mem_vla_ros.evaluation.metrics.catalogue import METRICS
from mem_vla_ros.evaluation.report_plots import make_plots
from mem_vla_ros.evaluation.report_terminal import ARROWS

_BODY = Template('''$state
<h2>Numbers</h2>
<p class="dim">Mean over the episodes ± standard error. ↓ lower is better, ↑ higher is better;
the best variant is bold. docs/evaluation.md explains each one.</p>
<div class="wide">$numbers</div>
<details><summary>Every episode</summary><div class="wide">$episodes</div></details>
$plots
<h2>Inputs</h2>
<div class="wide">$inputs</div>
$notes
<h2>Time per answer on this machine</h2>
<p class="dim">Not part of the results: it differs from run to run. The replay itself counts
$low_level_latency s for a chunk and $high_level_latency s for a decision.</p>
<div class="wide">$machine</div>''')


def write_html(report: EvaluationReport, path: Path) -> None:
    """Write the page, and its plots as PNG files beside it."""
    figures = make_plots(report)
    for name, (_, figure) in figures.items():
        figure.savefig(path.with_name(f'{name}.png'), dpi=120)
    plots = ''.join(html_figure(figure, caption) for caption, figure in figures.values())
    body = _BODY.substitute(
        state=_state(report),
        numbers=_numbers(report), episodes=_episodes(report),
        plots=f'<h2>Plots</h2>{plots}' if plots else '',
        inputs=_inputs(report), notes=_notes(report), machine=_machine(report),
        low_level_latency=report.settings.low_level_latency_s,
        high_level_latency=report.settings.high_level_latency_s)
    title = f'Bag evaluation: {report.robot}, {", ".join(report.bags)}'
    path.write_text(html_page(title, body), encoding='utf-8')


def _state(report: EvaluationReport) -> str:
    episodes = sum(len(result.episodes) for result in report.results)
    seconds = sum(item['duration_s'] for result in report.results for item in result.episodes)
    told = f'{episodes} episodes, {seconds:.0f} s in all, {len(report.variants)} variants.'
    if not report.problems:
        return f'<p class="good"><b>Complete.</b> {told}</p>'
    problems = ''.join(f'<li>{escape(problem)}</li>' for problem in report.problems)
    return (f'<div class="bad"><b>Incomplete: the numbers below leave something out.</b> {told}'
            f'<ul>{problems}</ul></div>')


def _numbers(report: EvaluationReport) -> str:
    summaries = {variant: report.summary(variant) for variant in report.variants}
    rows = []
    for name, metric in METRICS.items():
        means = {variant: items[name].mean for variant, items in summaries.items()
                 if name in items}
        if not means:
            continue
        best = {'lower': min, 'higher': max}.get(metric.better)
        champion = best(means.values()) if best and len(set(means.values())) > 1 else None
        cells = [
            html_number(items[name].text() if name in items else '-',
                    champion is not None and means.get(variant) == champion)
            for variant, items in summaries.items()]
        label = f'{metric.label} {ARROWS[metric.better]}'
        rows.append([html_cell(label), html_cell(metric.unit), *cells])
    return html_table(['metric', 'unit', *report.variants], rows)


def _episodes(report: EvaluationReport) -> str:
    episodes = [(result.variant, episode) for result in report.results
                for episode in result.episodes]
    names = [name for name in METRICS if any(name in item['values'] for _, item in episodes)]
    rows = [
        [html_cell(item['name']), html_cell(variant),
         html_number(f'{item["duration_s"]:.1f}'),
         *(html_number(f'{item["values"][name]:.4g}' if name in item['values'] else '-')
           for name in names)]
        for variant, item in episodes]
    return html_table(['episode', 'variant', 'duration [s]', *names], rows)


def _inputs(report: EvaluationReport) -> str:
    rows = []
    for bag in report.bags:
        result = next(item for item in report.results if item.bag == bag)
        for name, stream in result.inputs.items():
            rows.append([
                html_cell(bag), html_cell(name),
                html_number(f'{stream["messages"]:.0f}'),
                html_number(f'{stream["rate_hz"]:.1f}'),
                html_number(f'{stream["largest_gap_s"]:.3f}'),
                html_number(f'{stream["backward"]:.0f}'),
                html_number(f'{stream["repeated"]:.0f}')])
    return html_table(
        ['bag', 'input', 'messages', 'rate [Hz]', 'largest gap [s]', 'stamps back',
         'stamps twice'], rows)


def _notes(report: EvaluationReport) -> str:
    notes = [
        f'{result.bag}, {result.variant}: {warning}'
        for result in report.results for warning in result.warnings]
    references = {
        episode['name']: episode['details']['action']['reference'] for result in report.results
        for episode in result.episodes if 'action' in episode['details']}
    notes += [f'{name}: action errors are against the recorded {source.replace("_", " ")}'
              for name, source in references.items()]
    notes += [f'{result.bag}, {result.variant}, refused by the history: {episode["refused"]}'
              for result in report.results for episode in result.episodes if episode['refused']]
    notes += [f'not evaluated: {reason} ({", ".join(episodes[:3])}'
              f'{" and more" if len(episodes) > 3 else ""})'
              for reason, episodes in report.skipped().items()]
    if not notes:
        return ''
    items = ''.join(f'<li>{escape(note)}</li>' for note in notes)
    return f'<h2>Notes</h2><ul class="dim">{items}</ul>'


def _machine(report: EvaluationReport) -> str:
    rows = [
        [html_cell(variant), html_cell(level.replace('_', ' ')),
         html_number(str(item.count)),
         *(html_number(f'{1e3 * value:.1f}') for value in (item.p50_s, item.p95_s, item.max_s))]
        for variant in report.variants
        for level, item in report.machine_latency(variant).items()]
    if not rows:
        return '<p class="dim">No policy was run.</p>'
    return html_table(['variant', 'level', 'answers', 'p50 [ms]', 'p95 [ms]', 'max [ms]'], rows)
