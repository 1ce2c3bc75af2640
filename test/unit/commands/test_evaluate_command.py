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

"""``memvla evaluate`` with a random policy."""

from PIL import Image
import pytest
from support.node_graph import ROBOT_FILE
from support.tiny_checkpoint import write_tiny_checkpoint

from mem_vla_ros.cli import main
from mem_vla_ros.evaluation.result_file import read_results
from mem_vla_ros.sim.seeds import EVALUATION
from mem_vla_ros.sim.tasks.chopstick import Chopstick


@pytest.fixture
def evaluate(tmp_path, monkeypatch):
    monkeypatch.setattr(Chopstick, 'time_limit', 1.0)
    checkpoint = write_tiny_checkpoint(tmp_path / 'checkpoint')
    return lambda *more: main([
        'evaluate', '--task', 'chopstick', '--low', str(checkpoint), '--robot', str(ROBOT_FILE),
        '--name', 'random', '--results', str(tmp_path / 'results'), *more])


def test_rollouts_are_kept_filmed_and_not_repeated(evaluate, tmp_path, capsys):
    films = tmp_path / 'films'
    assert evaluate('--rollouts', '1') == 0
    before, = read_results(tmp_path / 'results')
    assert evaluate(
        '--rollouts', '2', '--film', str(films), '--compare', str(before.path.parent)) == 0
    after, = read_results(tmp_path / 'results')
    assert [row['seed'] for row in after.rows] == list(EVALUATION[:2])
    assert after.rows[0] == before.rows[0]
    assert after.setup.checkpoints.keys() == {'low'}
    with Image.open(films / f'chopstick_{EVALUATION[0]}_failure.gif') as film:
        assert film.n_frames >= 2
    assert 'on the same seeds' in capsys.readouterr().out


def test_films_of_the_graph_are_refused(evaluate, capsys):
    assert evaluate('--through-ros', '--film', 'films') == 2
    assert 'in process' in capsys.readouterr().err


def test_a_folder_without_weights_is_refused(tmp_path, capsys):
    assert main(['evaluate', '--suite', 'memory', '--low', str(tmp_path)]) == 2
    assert 'No checkpoint' in capsys.readouterr().err
