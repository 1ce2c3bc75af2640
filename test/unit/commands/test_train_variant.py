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


"""Test of ``memvla train-variant`` on a recipe of short runs, two of them side by side."""

import json
from pathlib import Path

from mem_vla_ros.cli import main
from mem_vla_ros.core.weights import LOW_LEVEL
from mem_vla_ros.training import recipe
from mem_vla_ros.training.recipe import Demonstrations, Run

ROBOT = Path(__file__).parents[3] / 'config' / 'robots' / 'sim_arm.yaml'


def test_shipped_runs_are_taken_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setitem(recipe.VARIANTS, 'short', [
        Run('first', 'debug', '', (), {})])
    monkeypatch.setitem(recipe.SHIPPED, 'first', LOW_LEVEL)
    command = ['train-variant', 'short', '--shipped', '--out', str(tmp_path)]
    assert main(command) == 0
    copied = tmp_path / 'first' / 'checkpoint' / 'model.safetensors'
    assert copied.read_bytes() == (LOW_LEVEL / 'model.safetensors').read_bytes()
    assert [folder.name for folder in tmp_path.iterdir()] == ['first']


def test_variant_is_collected_and_trained_once(tmp_path, monkeypatch):
    monkeypatch.setitem(
        recipe.DEMONSTRATIONS, 'few', Demonstrations('open_refrigerator', 2))
    first = Run('first', 'debug', '', ('few',), {'model_changes': {'memory': 'none'}})
    second = Run('second', 'debug', 'first', ('few',), {'model_changes': {'memory': 'video'}})
    beside = Run('beside', 'debug', '', ('few',), {'level': 'high'})
    monkeypatch.setitem(recipe.VARIANTS, 'short', [first, beside, second])
    command = ['train-variant', 'short', '--data', str(tmp_path / 'data'), '--out',
               str(tmp_path / 'runs'), '--workers', '2', '--robot', str(ROBOT)]
    assert main(command) == 0
    assert (tmp_path / 'runs' / 'beside' / 'checkpoint' / 'model.safetensors').is_file()
    weights = tmp_path / 'runs' / 'second' / 'checkpoint' / 'model.safetensors'
    trained = weights.read_bytes()
    notes = json.loads((weights.parent / 'config.json').read_text())
    assert notes['notes']['step'] == 2
    assert main(command) == 0
    assert weights.read_bytes() == trained
