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

"""``memvla results`` on made-up result files."""

import json

from PIL import Image
import pytest

from mem_vla_ros.cli import main
from mem_vla_ros.evaluation.comparisons import COMPARISONS, VARIANTS
from mem_vla_ros.evaluation.result_file import ResultFile, Setup
from mem_vla_ros.evaluation.results import Condition, mean_of, Results
from mem_vla_ros.evaluation.summary import Summary


class Maker:
    """Writes result files with so many successes out of ten."""

    def __init__(self, folder):
        self.folder = folder

    def add(
        self, variant, task, successes, slip=0.0, hold=0.0, through_ros=False,
        seeds='evaluation',
    ):
        setup = Setup(
            variant, task, seeds, through_ros, {'low': 'abc'},
            {'slip': slip} | ({'hold': hold} if hold else {}))
        file = ResultFile.resume(setup, {
            'command': f'memvla evaluate --name {variant}', 'date': '2026-01-02',
            'machine': '2 cores'}, self.folder)
        for seed in range(10):
            solved = seed < successes
            file.add({'seed': seed, 'success': solved, 'points': float(solved),
                      'max_points': 1.0, 'reason': 'task completed' if solved else 'fell'})


@pytest.fixture
def maker(tmp_path):
    return Maker(tmp_path / 'results')


@pytest.fixture
def write(tmp_path):
    """Return a function that writes everything and returns the page and the report."""
    docs, out = tmp_path / 'docs', tmp_path / 'out'
    docs.mkdir()

    def run():
        assert main(['results', '--results', str(tmp_path / 'results'), '--docs', str(docs),
                     '--out', str(out)]) == 0
        return ((docs / 'results.md').read_text(encoding='utf-8'),
                (out / 'report.html').read_text(encoding='utf-8'))
    return run


def row_of(page, first):
    """Return the cells of the first table row that begins with a text."""
    line = next(line for line in page.splitlines() if line.startswith(f'| {first} |'))
    return [cell.strip() for cell in line.strip('|').split('|')]


def test_cells_that_were_not_measured_are_dashes(maker, write):
    maker.add('both', 'find_object', 9)
    maker.add('no_memory', 'find_object', 3)
    page, report = write()
    assert row_of(page, 'find_object') == [
        'find_object', '25%', '-', '90 ± 10 %', '30 ± 15 %', '-', '-']
    assert row_of(page, 'swap_mugs')[2:] == ['-'] * 5
    assert row_of(page, 'mean')[3] == '-'
    assert '## Long horizon' not in page
    assert '90 ± 10 %' in report and '<svg' in report


def test_every_comparison_has_its_figure_and_its_commands(maker, write, tmp_path):
    for comparison in COMPARISONS:
        maker.add(comparison.variants[0], comparison.tasks[0], 5)
    page, _ = write()
    for comparison in COMPARISONS:
        with Image.open(tmp_path / 'docs/figures/results' / f'{comparison.name}.png') as figure:
            assert figure.size[0] > 400
        assert f'(figures/results/{comparison.name}.png)' in page
        assert f'    memvla evaluate --name {comparison.variants[0]}\n' in page
    assert '10 rollouts each; 2026-01-02; 2 cores.' in page


def test_slips_and_held_arms_have_rows_of_their_own(maker, write):
    maker.add('both', 'recipe_setup', 8)
    maker.add('naive', 'recipe_setup', 2, slip=0.25)
    maker.add('no_video', 'recipe_setup', 5, hold=20.0)
    page, _ = write()
    assert row_of(page, 'recipe_setup')[2:] == ['80 ± 13 %', '-', '-', '-']
    assert row_of(page, 'recipe_setup, 25% slips')[2:] == ['-', '-', '20 ± 13 %', '-']
    assert row_of(page, 'recipe_setup, held for 20 s')[2:] == ['-', '-', '-', '50 ± 17 %']


def test_each_disturbance_has_a_mean_of_its_own(maker, write):
    for slip, points in ((0.0, (8, 6)), (0.25, (5, 2))):
        for task, value in zip(('recipe_setup', 'clean_kitchen'), points, strict=True):
            maker.add('both', task, value, slip=slip)
    page, _ = write()
    assert row_of(page, 'mean')[2].startswith('70 ±')
    assert row_of(page, 'mean, 25% slips')[2].startswith('35 ±')


def test_the_graph_is_set_beside_rollouts_in_process(maker, write):
    maker.add('both', 'find_object', 9)
    maker.add('both', 'find_object', 8, through_ros=True)
    maker.add('both', 'scoop_coffee', 7, through_ros=True)
    section = write()[0].partition('## Through ROS')[2]
    assert row_of(section, 'find_object')[2:] == ['90 ± 10 %', '80 ± 13 %', '-10']
    assert row_of(section, 'scoop_coffee')[2:] == ['-', '70 ± 15 %', '-']


def test_reasons_of_failures_are_counted(maker, write):
    maker.add('both', 'find_object', 7)
    section = write()[0].partition('## Why episodes failed')[2]
    assert row_of(section, 'both memories (MEM)')[1:] == ['find_object', '3 of 10', 'fell (3)']


def test_other_seeds_are_never_reported(maker, write, capsys):
    maker.add('both', 'find_object', 9)
    maker.add('pool', 'find_object', 9, seeds='validation')
    page, report = write()
    assert row_of(page, 'find_object')[5] == '-'
    assert 'validation' in capsys.readouterr().out
    assert 'Left out' in report


def test_notes_are_taken_over_as_they_are(maker, write, tmp_path):
    maker.add('both', 'find_object', 9)
    (tmp_path / 'docs' / 'results_notes.md').write_text('Mind the **gap** & <this>.\n')
    page, report = write()
    assert '\nMind the **gap** & <this>.\n' in page
    assert '&lt;this&gt;' in report


def test_latency_of_the_encoder_is_drawn_from_its_benchmark(maker, write, tmp_path):
    maker.add('both', 'find_object', 9)
    assert 'Latency' not in write()[1]
    (tmp_path / 'results' / 'encoder.json').write_text(
        json.dumps({'latency_s': {'streaming': {'1': 0.1, '18': 0.1}}}))
    assert 'Latency' in write()[1]


def test_an_empty_folder_is_refused(tmp_path, capsys):
    assert main(['results', '--results', str(tmp_path)]) == 2
    assert 'No results' in capsys.readouterr().err


def test_a_mean_needs_every_task():
    some, other = Summary(0.5, 0.3, 10), Summary(1.0, 0.4, 10)
    assert mean_of([some, None]) is None
    assert mean_of([some, other]) == Summary(0.75, 0.25, 20)


def test_every_variant_of_a_comparison_is_known():
    for comparison in COMPARISONS:
        assert set(comparison.variants) <= set(VARIANTS)
        colours = [VARIANTS[variant].colour for variant in comparison.variants]
        assert len(set(colours)) == len(colours)


def test_slips_are_shown_only_where_they_belong(maker):
    maker.add('both', 'find_object', 9, slip=0.5)
    results = Results.read(maker.folder)
    assert results.conditions(COMPARISONS[0])[0] == Condition('find_object')
    assert all(condition.slip == 0.0 for condition in results.conditions(COMPARISONS[0]))
