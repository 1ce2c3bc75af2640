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

"""The player node: what it publishes, at which time, and into which nodes."""

import pytest
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CompressedImage, Image, JointState
from std_msgs.msg import String
from support.arm_bags import CAMERAS, START, write_arm_bag
from support.node_graph import ROBOT_FILE, wait_for

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.core.states import LowLevelState
from mem_vla_ros.evaluation.bag_reader import BagReader
from mem_vla_ros.evaluation.bag_storage import BagStorage
from mem_vla_ros.evaluation.bag_writer import STORAGES
from mem_vla_ros.evaluation.input_quality import input_quality
from mem_vla_ros.evaluation.metrics.history_parity import history_parity
from mem_vla_ros.evaluation.run_trace import RunTrace
from mem_vla_ros.policies.constant import ConstantPolicy
from mem_vla_ros.ros import bag_player, low_level_policy, observation_intake
from mem_vla_ros.ros.bag_player import BagPlayer
from mem_vla_ros.ros.conversions import seconds_from_stamp
from mem_vla_ros.ros.low_level_policy import LowLevelPolicyNode
from mem_vla_ros.ros.qos import EVENT, LATCHED

# Nothing is lost between player and listener, however busy the machine is.
RELIABLE = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)


@pytest.fixture(autouse=True)
def lossless(monkeypatch):
    monkeypatch.setattr(bag_player, 'SENSOR', RELIABLE)
    monkeypatch.setattr(observation_intake, 'SENSOR', RELIABLE)


def play(graph, bag, **parameters):
    parameters.setdefault('start_subscribers', 1)
    return graph.start(BagPlayer, bag=str(bag), exit_when_done=False, **parameters)


def listen_to_inputs(graph, image_kind=Image, ending=''):
    graph.listen('joint_states', JointState, RELIABLE)
    for camera in CAMERAS:
        graph.listen(f'cameras/{camera}/image{ending}', image_kind, RELIABLE)
    graph.listen('goal', String, LATCHED)
    graph.listen('/clock', Clock, RELIABLE)


@pytest.mark.parametrize('storage', STORAGES)
def test_inputs_are_played_with_their_stamps(graph, tmp_path, storage):
    listen_to_inputs(graph)
    player = play(graph, write_arm_bag(tmp_path / 'bag', 1.0, storage))
    assert wait_for(player.done.is_set)
    assert wait_for(lambda: len(graph.received['joint_states']) == 50)
    stamps = [seconds_from_stamp(message.header.stamp)
              for message in graph.received['joint_states']]
    assert stamps == pytest.approx([START + 0.02 * step + 0.0071 for step in range(50)])
    assert graph.received['goal'][0].data == 'tidy up'
    assert wait_for(lambda: len(graph.received['cameras/rear/image']) == 10)


def test_clock_follows_the_bag_and_the_rate(graph, tmp_path):
    listen_to_inputs(graph)
    player = play(graph, write_arm_bag(tmp_path / 'bag', 2.0), rate=4.0)
    clock = graph.received['/clock']
    assert wait_for(player.done.is_set, 3.0)
    assert wait_for(lambda: seconds_from_stamp(clock[-1].clock) > START + 1.9)
    times = [seconds_from_stamp(message.clock) for message in clock]
    assert times == sorted(times)
    assert times[-1] < START + 2.0


def test_start_and_duration_cut_the_bag(graph, tmp_path):
    listen_to_inputs(graph)
    player = play(graph, write_arm_bag(tmp_path / 'bag', 3.0), start=1.0, duration=0.5)
    assert wait_for(player.done.is_set)
    assert wait_for(lambda: len(graph.received['joint_states']) >= 24)
    stamps = [seconds_from_stamp(message.header.stamp)
              for message in graph.received['joint_states']]
    assert min(stamps) >= START + 0.99
    assert max(stamps) <= START + 1.51
    assert graph.received['goal'][0].data == 'tidy up'


def test_loop_sets_time_back(graph, tmp_path):
    listen_to_inputs(graph)
    play(graph, write_arm_bag(tmp_path / 'bag', 0.5), loop=True, rate=2.0)
    assert wait_for(lambda: any(
        later.clock.sec + later.clock.nanosec / 1e9
        < earlier.clock.sec + earlier.clock.nanosec / 1e9 - 0.3
        for earlier, later in zip(
            list(graph.received['/clock']), list(graph.received['/clock'])[1:], strict=False)))


def test_compressed_images_are_played_compressed(graph, tmp_path):
    listen_to_inputs(graph, CompressedImage, '/compressed')
    player = play(graph, write_arm_bag(tmp_path / 'bag', 1.0, compressed=True))
    assert wait_for(player.done.is_set)
    assert wait_for(lambda: graph.received['cameras/base/image/compressed'])
    assert graph.received['cameras/base/image/compressed'][0].format == 'png'


@pytest.mark.parametrize(('parameters', 'message'), [
    ({'bag': 'nowhere'}, 'does not exist'),
    ({'remaps': 'cameras/base/image'}, 'Remaps must be'),
    ({'remaps': 'cameras/base/image:=/other'}, 'are not in the bag'),
])
def test_player_refuses_what_it_cannot_play(graph, tmp_path, parameters, message):
    bag = write_arm_bag(tmp_path / 'bag', 0.2)
    graph.start(BagPlayer, **({'bag': str(bag)} | parameters))
    assert wait_for(lambda: graph.says('bag_player', message))


def test_start_after_the_end_is_told(graph, tmp_path):
    play(graph, write_arm_bag(tmp_path / 'bag', 0.2), start=100.0, start_subscribers=0)
    assert wait_for(lambda: graph.says('bag_player', 'Nothing to play'))


@pytest.mark.parametrize('jitter', [True, False])
def test_live_node_sees_the_frames_that_the_offline_rule_chooses(
        graph, tmp_path, monkeypatch, jitter):
    robot = load_robot(ROBOT_FILE)
    monkeypatch.setattr(
        low_level_policy, 'make_low_level',
        lambda *arguments: ConstantPolicy(robot.joint_names, frames=4, stride=0.5))
    bag = write_arm_bag(tmp_path / 'bag', 4.0, jitter=jitter)
    graph.listen('ll_state', String, EVENT)
    graph.start(LowLevelPolicyNode, use_sim_time=True, max_chunk_age=5.0)
    graph.send('subtask', String(data='stay'), LATCHED)
    player = play(graph, bag)
    assert wait_for(player.done.is_set, 20.0)
    states = [LowLevelState.from_json(message.data) for message in graph.received['ll_state']]
    with BagStorage(bag) as storage:
        stamps = input_quality(BagReader(storage, robot))[1]
    parity = history_parity(RunTrace('live', 0.0, 1.0, low_level=states), stamps)
    assert parity.inferences >= 5
    assert parity.equal == 1.0
