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

"""``memvla results``: all result files as tables, figures and one report."""

import argparse
import json
from pathlib import Path


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        'results', help='write docs/results.md, its figures and a report from all result files')
    parser.add_argument('--results', type=Path, default=Path('results'), help='result folder')
    parser.add_argument('--docs', type=Path, default=Path('docs'), help='where docs/ is')
    parser.add_argument('--out', type=Path, default=Path('build/results'),
                        help='folder of report.html')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the page, the figures and the report, and name them."""
    from mem_vla_ros.evaluation.result_plots import latency_figure, make_result_plots
    from mem_vla_ros.evaluation.results import Results
    from mem_vla_ros.evaluation.results_html import results_html
    from mem_vla_ros.evaluation.results_page import FIGURES, results_page
    results = Results.read(args.results)
    for file in results.left_out:
        print(f'left out, on {file.setup.seeds} seeds: {file.path}')
    figures = make_result_plots(results)
    measured = args.results / 'encoder.json'
    latency = latency_figure(json.loads(measured.read_text(encoding='utf-8'))['latency_s']) if (
        measured.exists()) else None
    folder = args.docs / FIGURES
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in figures.items():
        figure.savefig(folder / f'{name}.png', dpi=120)
    notes_file = args.docs / 'results_notes.md'
    notes = notes_file.read_text(encoding='utf-8') if notes_file.exists() else ''
    page = args.docs / 'results.md'
    page.write_text(results_page(results, notes), encoding='utf-8')
    args.out.mkdir(parents=True, exist_ok=True)
    report = args.out / 'report.html'
    report.write_text(results_html(results, notes, figures, latency), encoding='utf-8')
    print(page, report, sep='\n')
    return 0
