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

"""Evaluation of several bags: resume, compare, and reports that never only look whole."""

import json
from pathlib import Path
import re

import pytest
import yaml

from mem_vla_ros.cli import main
from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.evaluation import evaluation_run, report_html
from mem_vla_ros.evaluation.bag_result import BagResult
from mem_vla_ros.evaluation.evaluation_report import EvaluationReport
from mem_vla_ros.evaluation.evaluation_run import EvaluationRun
from mem_vla_ros.evaluation.metrics.catalogue import METRICS
from mem_vla_ros.evaluation.replay_settings import ReplaySettings
from mem_vla_ros.evaluation.report_html import write_html
from mem_vla_ros.evaluation.summary import Summary
from mem_vla_ros.evaluation.variant import Variant

SETTINGS = ReplaySettings(frames=3)
START = 100.0


@pytest.fixture
def robot_file(tmp_path):
    path = tmp_path / 'robot.yaml'
    path.write_text(yaml.safe_dump({
        'name': 'two_joints', 'home': [0.0, 0.0],
        'joints': [{'name': name, 'lower': -2.0, 'upper': 2.0, 'velocity': 5.0}
                   for name in ('shoulder', 'elbow')],
        'cameras': {name: {'topic': f'cameras/{name}/image'} for name in ('base', 'rear')},
        'command': {'type': 'joint_trajectory', 'topic': 'joint_command'}}))
    return path


def run_with(folder, bags, robot, variants=('recorded', 'hold'), settings=SETTINGS):
    return EvaluationRun(
        folder, bags, [Variant.parse(name) for name in variants], robot, settings)


def test_finished_results_are_not_computed_again(robot, bag_maker, tmp_path, monkeypatch):
    bag = bag_maker.add_inputs(seconds=2.0).add_chunks(seconds=2.0).write()
    run = run_with(tmp_path / 'out', [bag], robot)
    first = run.report().to_dict()
    assert run.finished() == 2
    monkeypatch.setattr(evaluation_run, 'evaluate_bag', None)
    assert run_with(tmp_path / 'out', [bag], robot).report().to_dict() == first


def test_interrupted_run_keeps_what_is_finished(robot, bag_maker, tmp_path):
    bag = bag_maker.add_inputs(seconds=2.0).add_chunks(seconds=2.0).write()
    calls = []

    def interrupt(seconds):
        calls.append(seconds)
        if len(calls) > 10:
            raise KeyboardInterrupt

    run = run_with(tmp_path / 'out', [bag], robot)
    with pytest.raises(KeyboardInterrupt):
        run.report(interrupt)
    assert run.finished() == 1
    assert len(run.report().results) == 2


def test_changed_settings_bag_or_annotations_are_evaluated_anew(robot, bag_maker, tmp_path):
    bag = bag_maker.add_inputs(seconds=1.0).write()
    run_with(tmp_path / 'out', [bag], robot).report()
    other = ReplaySettings(frames=2)
    assert run_with(tmp_path / 'out', [bag], robot, settings=other).finished() == 0
    (bag / 'annotations.jsonl').write_text(
        '{"type": "subtask", "text": "pick", "start": 100, "end": 101}')
    assert run_with(tmp_path / 'out', [bag], robot).finished() == 0


def test_torn_result_file_is_computed_again(robot, bag_maker, tmp_path):
    bag = bag_maker.add_inputs(seconds=1.0).write()
    run = run_with(tmp_path / 'out', [bag], robot, ('recorded',))
    run.report()
    file = next((tmp_path / 'out' / 'results').iterdir())
    file.write_text(file.read_text()[:50])
    assert run.finished() == 0
    assert run.report().results[0].episodes


def test_standard_error_needs_two_episodes():
    assert Summary.of([1.0]).standard_error is None
    summary = Summary.of([1.0, 3.0])
    assert (summary.mean, summary.standard_error) == (2.0, pytest.approx(1.0))


def test_page_needs_no_other_file_and_escapes_markup(robot, bag_maker, tmp_path):
    bag_maker.add_inputs(seconds=3.0).add_chunks(seconds=3.0)
    state = HighLevelState(
        'e', 0, START, 'g', '', 'pick <script>alert(1)</script>', '', 'seen', 0, 'ok', 'test')
    bag_maker.add_state('/hl_state', state, START)
    bag_maker.add_annotation(type='subtask', text='<b>pick</b>', start=START)
    report = run_with(tmp_path / 'out', [bag_maker.write()], robot).report()
    write_html(report, tmp_path / 'report.html')
    page = (tmp_path / 'report.html').read_text()
    assert '<script' not in page
    assert not re.search(r'(src|href)="(?!#)', page)
    assert page.count('<svg') >= 5
    assert (tmp_path / 'action_error_per_joint.png').stat().st_size > 1000
    assert 'Complete.' in page


def test_page_of_a_damaged_bag_says_so_first(tmp_path):
    result = BagResult('bag', 'recorded', error='cannot be read <here>')
    write_html(EvaluationReport('arm', SETTINGS, (result,)), tmp_path / 'report.html')
    page = (tmp_path / 'report.html').read_text()
    assert 'Incomplete' in page
    assert page.index('cannot be read &lt;here&gt;') < page.index('Numbers')
    assert 'Complete.' not in page


def test_every_metric_of_a_result_is_in_the_catalogue(robot, bag_maker, tmp_path):
    bag_maker.add_inputs(seconds=3.0).add_chunks(seconds=3.0)
    state = HighLevelState('e', 0, START, 'g', '', 'pick', '', 'seen', 0, 'ok', 'test', 0.1)
    bag_maker.add_state('/hl_state', state, START)
    bag_maker.add_annotation(type='subtask', text='pick', start=START)
    bag_maker.add_annotation(type='fact', match=['seen'], **{'from': START})
    report = run_with(tmp_path / 'out', [bag_maker.write()], robot).report()
    names = {name for result in report.results for episode in result.episodes
             for name in episode['values']}
    assert names <= METRICS.keys()
    assert len(names) > 12


def test_documentation_explains_every_metric():
    page = (Path(__file__).parents[3] / 'docs' / 'evaluation.md').read_text()
    missing = [name for name in METRICS if f'`{name}`' not in page]
    assert not missing


def test_command_writes_the_same_report_twice(
        robot_file, bag_maker, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(report_html, 'make_plots', lambda report: {})
    bag = bag_maker.add_inputs(seconds=3.0).add_chunks(seconds=3.0).add_goal().write()
    for name in ('first', 'second'):
        code = main(['evaluate-bag', str(bag), '--robot', str(robot_file), '--compare',
                     'recorded', 'hold', '--output', str(tmp_path / name)])
        assert code == 0
    first, second = (
        (tmp_path / name / 'report.json').read_bytes() for name in ('first', 'second'))
    assert first == second
    assert json.loads(first)['complete'] is True
    printed = capsys.readouterr().out
    assert 'action error, mean absolute' in printed
    assert 'report.html' in printed


def test_command_tells_by_its_exit_code_that_something_is_missing(
        robot_file, bag_maker, tmp_path, capsys):
    bag = bag_maker.add_inputs(seconds=1.0).write()
    arguments = ['--robot', str(robot_file), '--output', str(tmp_path / 'out')]
    assert main(['evaluate-bag', str(bag), str(tmp_path / 'nowhere'), *arguments]) == 1
    assert 'INCOMPLETE' in capsys.readouterr().out
    assert main(['evaluate-bag', str(tmp_path / 'nowhere'), *arguments]) == 2
    assert 'does not exist' in capsys.readouterr().out


def test_command_refuses_unknown_variants_and_remaps(robot_file, tmp_path, capsys):
    arguments = ['evaluate-bag', 'bag', '--robot', str(robot_file), '--output', str(tmp_path)]
    assert main([*arguments, '--variant', 'magic']) == 2
    message = capsys.readouterr().err
    assert "must be one of ['recorded', 'hold', 'scripted']" in message
    assert "No checkpoint: ['magic']" in message
    assert main([*arguments, '--remap', 'x']) == 2
    with pytest.raises(ConfigError, match='memory mode'):
        Variant.parse('hold:elephant')
