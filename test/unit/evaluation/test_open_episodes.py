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

"""Training reads collected folders, bags and LeRobot data sets through one door."""

import json

import numpy as np
import pytest
from support.node_graph import ROBOT_FILE

from mem_vla_ros.cli import main
from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.evaluation import bag_messages
from mem_vla_ros.evaluation.bag_errors import BagError
from mem_vla_ros.evaluation.bag_writer import BagWriter
from mem_vla_ros.evaluation.exchange.bag_of_episode import write_bag_of_episode
from mem_vla_ros.evaluation.exchange.episode_folder import EpisodeFolder
from mem_vla_ros.evaluation.exchange.lerobot_writer import LeRobotWriter
from mem_vla_ros.evaluation.exchange.open_episodes import open_episodes
from mem_vla_ros.evaluation.exchange.read_source import SourceSettings
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.sim.seeds import EVALUATION, TRAINING
from mem_vla_ros.training.episode import Episode

ROBOT = load_robot(ROBOT_FILE)
STEPS = 30


def make_episode(cameras=ROBOT.camera_names):
    rng = np.random.default_rng(0)
    return Episode(
        times=0.1 * np.arange(STEPS),
        images={name: rng.integers(0, 256, (STEPS, 48, 80, 3), dtype=np.uint8)
                for name in cameras},
        joints=rng.normal(0.0, 0.1, (STEPS, 7)), actions=rng.normal(0.0, 0.1, (STEPS, 7)),
        subtasks=['wait'] * 10 + ['open the drawer'] * 20, memories=[''] * STEPS, goal='find it')


def write_collected(path, seed=TRAINING.start):
    EpisodeFolder(path, ROBOT.joint_names, 0.1, seed, image_size=64).add(make_episode())


def write_bag(path):
    write_bag_of_episode(make_episode(), path, ROBOT)


def write_lerobot(path, cameras=ROBOT.camera_names):
    with LeRobotWriter(path, ROBOT.joint_names, 10, ROBOT.name) as writer:
        writer.add(make_episode(cameras))


WRITERS = {'collected': write_collected, 'bag': write_bag, 'lerobot': write_lerobot}


def opened(*paths, **settings):
    return open_episodes(paths, SourceSettings(ROBOT, **({'image_size': 64} | settings)))


@pytest.mark.parametrize('kind', WRITERS)
def test_training_runs_on_every_kind_of_source(tmp_path, kind):
    WRITERS[kind](tmp_path / kind)
    assert main(['train', '--preset', 'debug', '--data', str(tmp_path / kind),
                 '--out', str(tmp_path / 'run'), '--robot', str(ROBOT_FILE),
                 '--set', 'steps=2']) == 0
    Checkpoint.from_pretrained(tmp_path / 'run' / 'checkpoint')


def test_sources_of_all_kinds_are_one_set(tmp_path):
    for kind, write in WRITERS.items():
        write(tmp_path / kind)
    episodes = opened(*(tmp_path / kind for kind in WRITERS))
    assert len(episodes) == 3
    assert {episodes.task_of(index) for index in range(3)} == {'robot', ROBOT.name}
    assert sorted(episodes.texts()) == ['', 'find it', 'open the drawer', 'wait']
    for index in range(3):
        assert list(episodes[index].images) == list(ROBOT.camera_names)
        assert episodes[index].images['rear'].shape[1:] == (64, 64, 3)
        np.testing.assert_allclose(np.diff(episodes[index].times), 0.1, atol=1e-6)


def test_lerobot_set_without_a_camera_of_the_robot_is_refused(tmp_path):
    write_lerobot(tmp_path / 'set', ('base', 'side'))
    with pytest.raises(ConfigError, match=r"lacks the cameras \['left_wrist'"):
        opened(tmp_path / 'set')


def test_lerobot_set_that_is_too_slow_is_refused(tmp_path):
    write_lerobot(tmp_path / 'set')
    with pytest.raises(ConfigError, match='10 steps per second, which is no multiple of the 50'):
        opened(tmp_path / 'set', dt=0.02)


def test_faster_lerobot_set_is_thinned_and_still_wants_the_next_step(tmp_path):
    write_lerobot(tmp_path / 'set')
    full, thin = opened(tmp_path / 'set')[0], opened(tmp_path / 'set', dt=0.4)[0]
    assert len(thin) == len(thin.subtasks) == len(thin.images['rear']) == 8
    np.testing.assert_array_equal(thin.joints, full.joints[::4])
    np.testing.assert_array_equal(thin.actions, full.actions[[3, 7, 11, 15, 19, 23, 27, 29]])
    np.testing.assert_array_equal(thin.images['base'][2], full.images['base'][8])


def test_folder_that_is_no_source_is_refused(tmp_path):
    with pytest.raises(ConfigError, match='neither dataset.json'):
        opened(tmp_path)
    with pytest.raises(BagError, match='does not exist'):
        opened(tmp_path / 'nowhere')


def test_collected_episode_with_an_evaluation_seed_is_not_trained_on(tmp_path):
    write_collected(tmp_path / 'set', EVALUATION.start)
    with pytest.raises(ConfigError, match='no solved episode of the training seeds'):
        opened(tmp_path / 'set')


def test_bag_that_shows_an_evaluation_seed_is_not_trained_on(tmp_path):
    with BagWriter(tmp_path / 'bag') as writer:
        writer.add_topic('/score', bag_messages.STRING)
        writer.write('/score', 1, bag_messages.encode_string(
            json.dumps({'seed': EVALUATION.start})))
    with pytest.raises(ConfigError, match='kept for validation or evaluation'):
        opened(tmp_path / 'bag')
