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

"""Launch tests run by `launch_test` and by pytest."""

from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest

FILES = Path(__file__).parent / 'files'


@pytest.fixture
def run_pytest(run):
    """Return a function that runs pytest without the plugins which are not needed."""
    def run_with(*arguments: object):
        return run(
            'pytest', '-p', 'no:cacheprovider', '-p', 'launch_testing.pytest.hooks', *arguments,
            PYTEST_DISABLE_PLUGIN_AUTOLOAD='1')

    return run_with


@pytest.fixture(params=['launch_test', 'pytest'])
def test_tool(request, run, run_pytest):
    """Return a function that runs a launch test file with one of the two tools."""
    def run_file(name: str, *arguments: str):
        path = FILES / f'launch_test_{name}.py'
        if request.param == 'launch_test':
            return run('launch_test', path, *arguments)
        launch_args = ['--launch-args', *arguments] if arguments else []
        return run_pytest('-s', path, *launch_args)

    return run_file


def test_launch_test_gets_its_arguments_and_passes(test_tool) -> None:
    result = test_tool('greeting', 'whom:=moon')
    assert result.returncode == 0, result.stdout
    assert 'Ran 3 tests' in result.stdout
    assert 'Ran 2 tests' in result.stdout


def test_parametrized_launch_test_runs_once_for_each_value(test_tool) -> None:
    result = test_tool('parametrized')
    assert result.returncode == 0, result.stdout
    assert 'test_process_ends[3, three]' in result.stdout
    assert 'test_process_ends[0, zero]' in result.stdout


def test_failed_test_is_named_and_the_others_still_run(test_tool) -> None:
    result = test_tool('failing')
    assert result.returncode == 1
    assert 'TestMixed.test_bad' in result.stdout
    assert "'apples' != 'pears'" in result.stdout
    assert 'test_later' in result.stdout


def test_launch_that_ends_early_fails_with_the_output_of_its_process(test_tool) -> None:
    result = test_tool('early_end')
    assert result.returncode == 1
    assert 'Processes under test stopped before tests completed' in result.stdout
    assert "Process 'broken-1' exited with 1" in result.stdout


def test_node_runs_in_a_launch_test(test_tool) -> None:
    result = test_tool('node')
    assert result.returncode == 0, result.stdout


def test_show_args_of_a_launch_test(run) -> None:
    result = run('launch_test', FILES / 'launch_test_greeting.py', '--show-args')
    assert result.returncode == 0
    assert "    'whom':\n        Whom to greet\n        (default: 'world')\n" in result.stdout


def test_report_in_xml_counts_and_names_the_failure(run, tmp_path) -> None:
    report = tmp_path / 'report.xml'
    run('launch_test', FILES / 'launch_test_failing.py', '--junit-xml', report)
    suite = ElementTree.parse(report).getroot().find('testsuite')
    assert (suite.get('tests'), suite.get('failures')) == ('3', '1')
    (failed,) = [case for case in suite if case.find('failure') is not None]
    assert failed.get('name') == 'test_bad'


def test_launch_test_without_ready_to_test_is_refused(run, tmp_path) -> None:
    file = tmp_path / 'never_ready.py'
    file.write_text(
        'from launch import LaunchDescription\n'
        'def generate_test_description():\n'
        '    return LaunchDescription([])\n')
    result = run('launch_test', file)
    assert result.returncode != 0
    assert 'containing a ReadyToTest action' in result.stdout


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    (plugin,) = [
        point for point in entry_points(group='pytest11') if point.name == 'launch_testing']
    assert plugin.value == 'launch_testing.pytest.hooks'


def test_file_without_the_mark_is_left_to_pytest(run_pytest, tmp_path) -> None:
    file = tmp_path / 'test_unmarked.py'
    file.write_text(
        'def generate_test_description():\n'
        '    raise AssertionError("not called")\n'
        'def test_plain():\n'
        '    pass\n')
    result = run_pytest(file)
    assert '1 passed' in result.stdout


def test_mark_of_the_description_selects_the_launch_test(run_pytest, tmp_path) -> None:
    file = tmp_path / 'test_skipped.py'
    file.write_text(
        'import pytest\n'
        '@pytest.mark.skip(reason="not today")\n'
        '@pytest.mark.launch_test\n'
        'def generate_test_description():\n'
        '    raise AssertionError("not called")\n')
    result = run_pytest('-rs', file)
    assert '1 skipped' in result.stdout
    assert 'not today' in result.stdout
