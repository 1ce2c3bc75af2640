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

"""Episodes between bags, our own folders and LeRobot data sets, there and back."""

from dataclasses import replace
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet
import pytest
import yaml

from mem_vla_ros.cli import main
from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.evaluation.bag_errors import BagError
from mem_vla_ros.evaluation.exchange.bag_of_episode import write_bag_of_episode
from mem_vla_ros.evaluation.exchange.episode_folder import EpisodeFolder
from mem_vla_ros.evaluation.exchange.episodes_of_bag import episodes_of_bag
from mem_vla_ros.evaluation.exchange.lerobot_reader import LeRobotReader, LeRobotRejected
from mem_vla_ros.evaluation.exchange.lerobot_writer import LeRobotWriter
from mem_vla_ros.evaluation.exchange.read_source import read_source, SourceSettings
from mem_vla_ros.evaluation.exchange.video_file import VideoRejected
from mem_vla_ros.training.episode import Episode

START = 100.0
JOINTS = ('shoulder', 'elbow')


def make_episode(steps=12, goal='tidy up', shade=0):
    """Return an episode whose images tell their step by their shade."""
    times = 0.1 * np.arange(steps)
    images = np.zeros((steps, 32, 48, 3), np.uint8)
    images[...] = (shade + 10 * np.arange(steps))[:, None, None, None]
    joints = np.stack([np.sin(times), np.cos(times)], axis=1)
    return Episode(
        times=times, images={'base': images, 'rear': 255 - images}, joints=joints,
        actions=joints + 0.01, subtasks=['pick'] * 5 + ['place'] * (steps - 5),
        memories=[''] * 3 + ['saw the cup'] * (steps - 3), goal=goal, task='tidy')


def write_lerobot(folder, *episodes, **options):
    with LeRobotWriter(folder, JOINTS, 10, 'two_joints', **options) as writer:
        for episode in episodes:
            writer.add(episode)
    return folder


def assert_same(got, wanted, image_tolerance=0):
    np.testing.assert_allclose(got.joints, wanted.joints, atol=1e-6)
    np.testing.assert_allclose(got.actions, wanted.actions, atol=1e-6)
    assert list(got.subtasks) == list(wanted.subtasks)
    assert list(got.memories) == list(wanted.memories)
    assert got.goal == wanted.goal
    for camera, images in wanted.images.items():
        difference = np.abs(got.images[camera].astype(int) - images.astype(int))
        assert difference.max() <= image_tolerance


def test_lerobot_gives_back_every_episode(tmp_path):
    episodes = [make_episode(12), make_episode(9, 'wash up', 40), make_episode(15)]
    reader = LeRobotReader(write_lerobot(tmp_path / 'set', *episodes))
    assert len(reader) == 3
    assert reader.joint_names == JOINTS
    for index, episode in enumerate(episodes):
        assert_same(reader[index], episode, image_tolerance=6)
    assert set(reader.texts()) == {'tidy up', 'wash up', 'pick', 'place'}


def test_episodes_share_a_video_until_it_is_large(tmp_path):
    episodes = [make_episode(), make_episode(shade=30)]
    write_lerobot(tmp_path / 'one', *episodes)
    write_lerobot(tmp_path / 'many', *episodes, video_file_mb=0.0)
    videos = 'videos/observation.images.base/chunk-000'
    assert len(list((tmp_path / 'one' / videos).iterdir())) == 1
    assert len(list((tmp_path / 'many' / videos).iterdir())) == 2
    assert_same(LeRobotReader(tmp_path / 'many')[1], episodes[1], image_tolerance=6)


def test_lerobot_files_say_what_lerobot_looks_for(tmp_path):
    folder = write_lerobot(tmp_path / 'set', make_episode(12), make_episode(8))
    info = json.loads((folder / 'meta/info.json').read_text())
    assert (info['codebase_version'], info['total_frames'], info['fps']) == ('v3.0', 20, 10)
    assert info['splits'] == {'train': '0:2'}
    assert info['features']['observation.images.base']['shape'] == [32, 48, 3]
    stats = json.loads((folder / 'meta/stats.json').read_text())
    assert stats['action']['count'] == [20]
    assert np.shape(stats['observation.images.rear']['mean']) == (3, 1, 1)
    rows = parquet.read_table(folder / 'meta/episodes/chunk-000/file-000.parquet').to_pylist()
    assert [row['dataset_to_index'] for row in rows] == [12, 20]
    assert rows[1]['videos/observation.images.base/from_timestamp'] == pytest.approx(1.2)
    data = parquet.read_table(folder / 'data/chunk-000/file-000.parquet')
    assert data['index'].to_pylist() == list(range(20))
    assert data.schema.field('action').type == pa.list_(pa.float32(), 2)
    metadata = json.loads(parquet.read_schema(folder / 'meta/tasks.parquet').metadata[b'pandas'])
    assert metadata['index_columns'] == ['__index_level_0__']


def test_merged_statistics_equal_those_over_all_steps(tmp_path):
    first, second = make_episode(12), make_episode(30)
    folder = write_lerobot(tmp_path / 'set', first, second)
    stats = json.loads((folder / 'meta/stats.json').read_text())['observation.state']
    everything = np.concatenate([first.joints, second.joints])
    np.testing.assert_allclose(stats['mean'], everything.mean(axis=0))
    np.testing.assert_allclose(stats['std'], everything.std(axis=0))
    np.testing.assert_allclose(stats['max'], everything.max(axis=0))


def test_cameras_of_a_lerobot_set_can_be_renamed(tmp_path):
    folder = write_lerobot(tmp_path / 'set', make_episode())
    assert set(LeRobotReader(folder, {'base': 'front'})[0].images) == {'front'}
    with pytest.raises(LeRobotRejected, match=r"No cameras \['top'\]"):
        LeRobotReader(folder, {'top': 'base'})


def test_images_inside_the_parquet_file_are_read(tmp_path):
    import cv2
    episode = make_episode()
    folder = write_lerobot(tmp_path / 'set', episode)
    path = folder / 'data/chunk-000/file-000.parquet'
    cells = [{'bytes': cv2.imencode('.png', image)[1].tobytes(), 'path': None}
             for image in episode.images['base']]
    parquet.write_table(
        parquet.read_table(path).append_column('observation.images.base', pa.array(cells)), path)
    info = json.loads((folder / 'meta/info.json').read_text())
    info['features']['observation.images.base']['dtype'] = 'image'
    (folder / 'meta/info.json').write_text(json.dumps(info))
    assert_same(LeRobotReader(folder)[0], episode, image_tolerance=6)


@pytest.mark.parametrize(('break_it', 'message'), [
    (lambda folder: (folder / 'meta/info.json').unlink(), 'no LeRobot data set'),
    (lambda folder: (folder / 'meta/info.json').write_text('{"codebase_version": "v2.1"}'),
     'expected v3'),
    (lambda folder: (folder / 'meta/episodes/chunk-000/file-000.parquet').write_bytes(b'x'),
     'episodes cannot be read'),
    (lambda folder: (folder / 'data/chunk-000/file-000.parquet').unlink(), 'cannot be read'),
])
def test_broken_lerobot_set_is_refused(tmp_path, break_it, message):
    folder = write_lerobot(tmp_path / 'set', make_episode())
    break_it(folder)
    with pytest.raises(LeRobotRejected, match=message):
        LeRobotReader(folder)[0]


def test_broken_video_is_refused(tmp_path):
    folder = write_lerobot(tmp_path / 'set', make_episode())
    video = folder / 'videos/observation.images.base/chunk-000/file-000.mp4'
    video.write_bytes(video.read_bytes()[:100])
    with pytest.raises(VideoRejected, match='cannot be read'):
        LeRobotReader(folder)[0]


def test_episodes_that_differ_are_refused(tmp_path):
    with pytest.raises(ConfigError, match='same cameras'):
        write_lerobot(tmp_path / 'set', make_episode(), Episode(
            **{**make_episode().__dict__, 'images': {}}))
    with pytest.raises(ConfigError, match='is not empty'):
        LeRobotWriter(tmp_path / 'set', JOINTS, 10)


def test_our_folder_gives_back_every_episode(robot, tmp_path):
    episode = replace(make_episode(), taught=np.arange(12) != 3)
    folder = EpisodeFolder(tmp_path / 'set', JOINTS, 0.1, 5, image_size=0)
    folder.add(episode)
    folder.add(make_episode(8))
    first, second = read_source(tmp_path / 'set', SourceSettings(robot))
    assert first.images['base'].shape == (12, 48, 48, 3)
    assert list(first.subtasks) == list(episode.subtasks)
    assert list(first.memories) == list(episode.memories)
    np.testing.assert_allclose(first.actions, episode.actions, atol=1e-6)
    assert first.taught.tolist() == episode.taught.tolist()
    assert second.taught.all()
    assert (first.seed, second.seed) == (5, 6)


def test_bag_becomes_an_episode_on_an_even_grid(robot, bag_maker):
    bag_maker.add_inputs(seconds=4.0).add_goal()
    for time, subtask, memory in ((0.0, 'pick', ''), (2.0, 'place', 'cup is picked')):
        state = HighLevelState(
            'e', 0, START + time, 'tidy up', '', subtask, '', memory, 0, 'ok', 'test')
        bag_maker.add_state('/hl_state', state, START + time)
    episode, = episodes_of_bag(bag_maker.write(), robot, dt=0.1, image_size=16)
    assert len(episode) == pytest.approx(38, abs=1)
    np.testing.assert_allclose(np.diff(episode.times), 0.1)
    np.testing.assert_allclose(episode.joints[:, 0], np.sin(episode.times), atol=1e-3)
    np.testing.assert_allclose(episode.actions[:, 0], np.sin(episode.times + 0.1), atol=1e-3)
    assert episode.images['base'].shape[1:] == (16, 16, 3)
    expected = np.round(episode.times * 10) % 256
    np.testing.assert_allclose(episode.images['base'][:, 8, 8, 0], expected, atol=1)
    assert (episode.subtasks[0], episode.subtasks[-1]) == ('pick', 'place')
    assert episode.memories[-1] == 'cup is picked'
    assert episode.goal == 'tidy up'


def test_episode_survives_a_bag(robot, tmp_path):
    episode = make_episode(20)
    write_bag_of_episode(episode, tmp_path / 'bag', robot)
    back, = episodes_of_bag(tmp_path / 'bag', robot, dt=0.1)
    length = len(back)
    assert length >= 17
    first = int(round(back.times[0] * 10))
    kept = slice(first, first + length)
    np.testing.assert_allclose(back.joints, episode.joints[kept], atol=1e-6)
    np.testing.assert_allclose(back.actions, episode.actions[kept], atol=1e-6)
    np.testing.assert_array_equal(back.images['rear'], episode.images['rear'][kept])
    assert list(back.subtasks) == list(episode.subtasks[kept])


def test_bag_with_a_hole_in_its_images_is_refused(robot, bag_maker):
    bag_maker.add_inputs(seconds=1.0)
    bag_maker.add_inputs(seconds=1.0, start=START + 3.0)
    bag_maker.add_inputs(seconds=4.0, cameras=())
    with pytest.raises(BagError, match='missing in the middle'):
        list(episodes_of_bag(bag_maker.write(), robot))


def test_bag_without_cameras_cannot_be_converted(robot, bag_maker):
    with pytest.raises(BagError, match='cannot be converted'):
        list(episodes_of_bag(bag_maker.add_inputs(cameras=()).write(), robot))


@pytest.fixture
def robot_file(tmp_path):
    path = tmp_path / 'robot.yaml'
    path.write_text(yaml.safe_dump({
        'name': 'two_joints', 'home': [0.0, 0.0],
        'joints': [{'name': name, 'lower': -2.0, 'upper': 2.0, 'velocity': 5.0}
                   for name in JOINTS],
        'cameras': {name: {'topic': f'cameras/{name}/image'} for name in ('base', 'rear')},
        'command': {'type': 'joint_trajectory', 'topic': 'joint_command'}}))
    return path


def test_command_converts_all_the_way_round(robot, robot_file, bag_maker, tmp_path, capsys):
    bag = bag_maker.add_inputs(seconds=2.0).add_goal().write('source')

    def convert(source, target, to):
        assert main(['convert', str(source), str(tmp_path / target), '--to', to,
                     '--robot', str(robot_file)]) == 0
        return tmp_path / target

    episodes = convert(bag, 'episodes', 'episodes')
    lerobot = convert(episodes, 'lerobot', 'lerobot')
    bags = convert(lerobot, 'bags', 'bag')
    again = convert(bags / 'episode_00000', 'again', 'episodes')
    settings = SourceSettings(robot)
    first, last = (next(read_source(folder, settings)) for folder in (episodes, again))
    assert '1 episodes' in capsys.readouterr().out
    assert len(first) - 3 <= len(last) <= len(first)
    assert last.goal == 'tidy up'


def test_command_refuses_another_robot_or_rate(robot_file, tmp_path, capsys):
    folder = write_lerobot(tmp_path / 'set', make_episode())
    arguments = ['convert', str(folder), str(tmp_path / 'out'), '--to', 'episodes']
    arm = Path(__file__).parents[3] / 'config' / 'robots' / 'sim_arm.yaml'
    assert main([*arguments, '--robot', str(arm)]) == 2
    assert 'has joints' in capsys.readouterr().err
    assert main([*arguments, '--robot', str(robot_file), '--rate', '20']) == 2
    assert '10 steps per second' in capsys.readouterr().err


def test_command_converts_what_a_damaged_bag_still_has(
        robot_file, bag_maker, tmp_path, capsys):
    bag = bag_maker.add_inputs(seconds=4.0).add_goal().write()
    file = next(bag.glob('*.mcap'))
    file.write_bytes(file.read_bytes()[:file.stat().st_size // 2])
    arguments = ['--to', 'lerobot', '--robot', str(robot_file)]
    assert main(['convert', str(bag), str(tmp_path / 'set'), *arguments]) == 1
    assert 'is damaged' in capsys.readouterr().err
    assert 10 < len(LeRobotReader(tmp_path / 'set')[0]) < 30
    assert main(['convert', str(tmp_path / 'nowhere'), str(tmp_path / 'none'), *arguments]) == 2
