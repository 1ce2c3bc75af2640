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

"""Result files: what they hold, and how a stopped evaluation goes on."""

from dataclasses import replace
import json

import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.evaluation.result_file import (
    read_results,
    ResultFile,
    Setup,
    shown_command,
)

SETUP = Setup(
    'video', 'find_object', 'evaluation', through_ros=False, checkpoints={'low': 'abc'},
    settings={'execution_rows': 5, 'slip': 0.0})
PROVENANCE = {'command': 'memvla evaluate', 'date': '2026-01-01', 'machine': '2 cores'}


def row(seed, points=1.0, reason='task completed'):
    return {'seed': seed, 'success': points == 1.0, 'points': points, 'max_points': 1.0,
            'reason': reason}


def test_a_stopped_evaluation_goes_on_with_the_seeds_that_are_missing(tmp_path):
    first = ResultFile.resume(SETUP, PROVENANCE, tmp_path)
    for seed in (12, 10):
        first.add(row(seed))
    second = ResultFile.resume(SETUP, PROVENANCE, tmp_path)
    assert second.missing(range(10, 14)) == [11, 13]
    second.add(row(11, 0.0, 'opened a wrong drawer'))
    file, = read_results(tmp_path)
    assert [item['seed'] for item in file.rows] == [10, 11, 12]
    assert file.provenance == PROVENANCE
    assert file.success.mean == pytest.approx(2 / 3)
    assert file.failures == {'opened a wrong drawer': 1}
    assert '2 of 3 solved, 67 ± 33 %' in file.text()


@pytest.mark.parametrize('change', [
    {'checkpoints': {'low': 'def'}}, {'seeds': 'validation'},
    {'settings': {'execution_rows': 4, 'slip': 0.0}}])
def test_rollouts_of_another_setup_are_not_mixed_in(tmp_path, change):
    ResultFile.resume(SETUP, PROVENANCE, tmp_path).add(row(1))
    with pytest.raises(ConfigError, match=f'another setup.*{next(iter(change))}'):
        ResultFile.resume(replace(SETUP, **change), PROVENANCE, tmp_path)


def test_conditions_have_files_of_their_own(tmp_path):
    slipping = replace(SETUP, settings={'slip': 0.25}, through_ros=True)
    assert slipping.path_in(tmp_path).name == 'find_object-slip0.25-through_ros.json'
    held = replace(SETUP, settings={'slip': 0.0, 'hold': 20.0})
    assert held.path_in(tmp_path).name == 'find_object-hold20.json'
    assert SETUP.path_in(tmp_path) == tmp_path / 'video' / 'find_object.json'


def test_a_file_has_one_line_for_each_rollout_and_its_summary(tmp_path):
    file = ResultFile.resume(SETUP, PROVENANCE, tmp_path)
    file.add(row(1))
    file.add(row(2))
    text = file.path.read_text(encoding='utf-8')
    assert sum('"seed"' in line for line in text.splitlines()) == 2
    assert json.loads(text)['summary']['success'] == {
        'mean': 1.0, 'standard_error': 0.0, 'episodes': 2}


def test_other_files_are_refused(tmp_path):
    (tmp_path / 'video').mkdir()
    (tmp_path / 'video' / 'find_object.json').write_text('{}')
    with pytest.raises(ConfigError, match='find_object.json'):
        read_results(tmp_path)


def test_commands_are_shown_without_the_folders_of_this_machine(tmp_path):
    command = ['memvla', 'evaluate', '--low', str(tmp_path / 'runs' / 'low' / 'checkpoint')]
    assert shown_command(command) == 'memvla evaluate --low runs/low/checkpoint'
