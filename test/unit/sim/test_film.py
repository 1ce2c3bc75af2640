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

"""Films and picture strips of the experts."""

from PIL import Image
import pytest

from mem_vla_ros.cli import main
from mem_vla_ros.sim.film import picture_expert


def test_film_shows_the_whole_episode(tmp_path):
    path = tmp_path / 'chopstick.gif'
    assert main(['film', '--task', 'chopstick', '--out', str(path), '--size', '32']) == 0
    with Image.open(path) as film:
        assert film.n_frames > 8
        assert film.size[0] == 4 * 32


def test_strip_has_one_row_per_camera(tmp_path):
    path = tmp_path / 'chopstick.png'
    score = picture_expert('chopstick', path, size=24, columns=3, cameras=('base', 'rear'))
    assert score.success
    with Image.open(path) as strip:
        assert strip.size == (3 * 24, 2 * 24)


def test_other_formats_are_refused(tmp_path, capsys):
    assert main(['film', '--task', 'chopstick', '--out', str(tmp_path / 'x.mp4')]) == 2
    assert '.gif or .png' in capsys.readouterr().err


@pytest.mark.parametrize('arguments', [
    ['collect', '--task', 'no_such_task', '--episodes', '1', '--out', 'x'],
    ['tasks', '--task', 'no_such_task'], ['scores', 'rubric', 'no_such_task']])
def test_unknown_names_are_refused_with_the_known_ones(arguments, capsys):
    assert main(arguments) == 2
    assert 'find_object' in capsys.readouterr().err
