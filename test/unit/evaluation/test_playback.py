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

"""When which message of a bag is played."""

from itertools import islice

import pytest
import yaml

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.evaluation import bag_messages
from mem_vla_ros.evaluation.bag_reader import BagReader
from mem_vla_ros.evaluation.bag_storage import BagStorage
from mem_vla_ros.evaluation.playback import Playback
from mem_vla_ros.evaluation.replay_robot import write_replay_robot

PARTS = {'joint_states': '/joint_states', 'goal': '/goal'}


@pytest.fixture
def reader(robot, bag_maker):
    bag_maker.add_inputs(seconds=2.0, joint_period=0.1, cameras=()).add_goal()
    with BagStorage(bag_maker.write()) as storage:
        yield BagReader(storage, robot)


def test_everything_is_played_at_its_time(reader):
    plays = list(Playback().plays(reader, PARTS))
    assert len(plays) == 21
    assert plays[0].part == 'goal'
    assert plays[-1].wait == pytest.approx(1.9 + 0.004)


def test_rate_shortens_the_waits_but_not_the_times(reader):
    slow, quick = (list(Playback(rate).plays(reader, PARTS)) for rate in (1.0, 4.0))
    assert [play.time for play in slow] == [play.time for play in quick]
    assert quick[-1].wait == pytest.approx(slow[-1].wait / 4)


def test_start_keeps_the_goal_and_duration_ends(reader):
    plays = list(Playback(start_s=1.0, duration_s=0.5).plays(reader, PARTS))
    assert plays[0].part == 'goal'
    assert plays[1].wait == pytest.approx(0.004, abs=1e-6)
    assert plays[-1].time - plays[0].time <= 0.5
    assert len(plays) == 6


def test_loop_goes_on_with_waits_and_back_with_times(reader):
    plays = list(islice(Playback(loop=True).plays(reader, PARTS), 42))
    assert all(later.wait >= earlier.wait
               for earlier, later in zip(plays, plays[1:], strict=False))
    assert plays[21].time == plays[0].time


def test_nothing_to_play_is_refused(reader):
    with pytest.raises(ConfigError, match='Nothing to play'):
        list(Playback(start_s=100.0).plays(reader, PARTS))


@pytest.mark.parametrize('wrong', [{'rate': 0.0}, {'start_s': -1.0}, {'duration_s': -1.0}])
def test_time_must_move_forward(wrong):
    with pytest.raises(ConfigError):
        Playback(**wrong)


def test_replay_robot_has_the_transport_of_the_bag(bag_maker, tmp_path):
    robot_file = tmp_path / 'robot.yaml'
    robot_file.write_text(yaml.safe_dump({
        'name': 'r', 'home': [0.0],
        'joints': [{'name': 'a', 'lower': -1.0, 'upper': 1.0, 'velocity': 1.0}],
        'cameras': {'base': {'topic': 'cameras/base/image'},
                    'rear': {'topic': '/rear/image/compressed', 'transport': 'compressed'}},
        'command': {'type': 'forward', 'topic': 'command'}}))
    bag_maker.add('/cameras/base/image/compressed', bag_messages.COMPRESSED_IMAGE, 1.0,
                  bag_messages.encode_compressed_image(b'x', 'png', 1.0))
    bag_maker.add_inputs(seconds=0.2, cameras=())
    bag_maker.add('/rear/image', bag_messages.IMAGE, 1.0, b'')
    write_replay_robot(robot_file, bag_maker.write(), tmp_path / 'replay.yaml')
    cameras = load_robot(tmp_path / 'replay.yaml').cameras
    assert [(camera.topic, camera.transport) for camera in cameras] == [
        ('cameras/base/image/compressed', 'compressed'), ('/rear/image', 'raw')]
