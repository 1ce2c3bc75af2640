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

"""Training resumes to the bit, loses nothing when interrupted, and learns."""

import csv
import json

import pytest
import torch

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.training.run_folder import RunFolder
from mem_vla_ros.training.train_config import train_preset
from mem_vla_ros.training.trainer import Trainer


def weights(folder):
    return Checkpoint.from_pretrained(folder).model.state_dict()


@pytest.mark.parametrize('level', ['low', 'high'])
@pytest.mark.parametrize('optimiser', ['muon', 'adamw'])
def test_two_steps_and_two_resumed_steps_equal_four_straight(
        tmp_path, episodes, make_checkpoint, level, optimiser):
    config = train_preset('debug', level=level, optimiser=optimiser, steps=4)
    Trainer(make_checkpoint(), episodes, config, RunFolder(tmp_path / 'straight')).run()
    Trainer(make_checkpoint(), episodes, config, RunFolder(tmp_path / 'parts')).run(until=2)
    Trainer(make_checkpoint(), episodes, config, RunFolder(tmp_path / 'parts')).run()
    straight = weights(tmp_path / 'straight' / 'checkpoint')
    parts = weights(tmp_path / 'parts' / 'checkpoint')
    assert straight.keys() == parts.keys()
    for name, value in straight.items():
        assert torch.equal(value, parts[name]), name


def test_a_run_is_not_resumed_with_other_settings(tmp_path, episodes, make_checkpoint):
    Trainer(make_checkpoint(), episodes, train_preset('debug'), RunFolder(tmp_path)).run()
    with pytest.raises(ConfigError, match=r"other settings: \['muon_rate'\]"):
        Trainer(make_checkpoint(), episodes, train_preset('debug', muon_rate=1.0),
                RunFolder(tmp_path))


def test_a_run_that_began_before_a_setting_existed_is_resumed_with_its_default(
        tmp_path, episodes, make_checkpoint):
    Trainer(make_checkpoint(), episodes, train_preset('debug'), RunFolder(tmp_path)).run(until=1)
    path = tmp_path / 'settings.json'
    kept = json.loads(path.read_text())
    del kept['misheard_subtask_of']
    path.write_text(json.dumps(kept))
    Trainer(make_checkpoint(), episodes, train_preset('debug'), RunFolder(tmp_path)).run()
    assert json.loads((tmp_path / 'progress.json').read_text())['step'] == 2


@pytest.mark.parametrize('setting', ['stale_memory_of', 'misheard_subtask_of'])
def test_a_share_for_a_task_without_episodes_is_refused(
        tmp_path, episodes, make_checkpoint, setting):
    config = train_preset('debug', level='high', **{setting: {'unpack_grocery': 0.7}})
    with pytest.raises(ConfigError, match=rf"{setting} name \['unpack_grocery'\]"):
        Trainer(make_checkpoint(), episodes, config, RunFolder(tmp_path))


def test_an_interrupted_run_keeps_every_step_it_made(tmp_path, episodes, make_checkpoint):
    config = train_preset('debug', steps=3)
    trainer = Trainer(make_checkpoint(), episodes, config, RunFolder(tmp_path))
    train_step = trainer._train_step

    def interrupted():
        if trainer._step == 2:
            raise KeyboardInterrupt
        return train_step()

    trainer._train_step = interrupted
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    assert RunFolder(tmp_path).load_snapshot()[1] == 2


def test_the_loss_is_logged_and_falls_on_one_repeated_batch(tmp_path, episodes, make_checkpoint):
    config = train_preset(
        'debug', steps=12, warmup_steps=2, history_dropout=0.0, subtask_dropout=0.0)
    Trainer(make_checkpoint(), type(episodes)(episodes[:1]), config, RunFolder(tmp_path)).run()
    with (tmp_path / 'log.csv').open() as file:
        losses = [float(row['total']) for row in csv.DictReader(file)]
    assert len(losses) == 12
    assert sum(losses[-3:]) < sum(losses[:3])
    assert list((tmp_path / 'tensorboard').iterdir())


def test_an_unknown_preset_is_answered_with_the_nearest_one():
    with pytest.raises(ConfigError, match=r"Did you mean \['debug'\]"):
        train_preset('debugg')


@pytest.mark.parametrize('changes', [
    {'level': 'middle'}, {'optimiser': 'sgd'}, {'steps': 0}, {'ema': 1.5},
    {'stale_memory_of': {'mugs': 2.0}}, {'change_weight': 0.0}])
def test_settings_that_make_no_sense_are_refused(changes):
    with pytest.raises(ConfigError):
        train_preset('low', **changes)


def test_rollouts_are_logged_by_task_at_their_steps(tmp_path, episodes, make_checkpoint):
    config = train_preset('debug', rollout_every=2, rollout_tasks=('mugs',), steps=4)
    Trainer(
        make_checkpoint(), episodes, config, RunFolder(tmp_path), lambda _: {'mugs': 0.5}).run()
    with (tmp_path / 'rollouts.csv').open() as file:
        assert list(csv.DictReader(file)) == [
            {'step': '2', 'mugs': '0.5'}, {'step': '4', 'mugs': '0.5'}]


def test_rollouts_without_tasks_are_refused():
    with pytest.raises(ConfigError, match='rollout_tasks'):
        train_preset('low', rollout_every=10)
