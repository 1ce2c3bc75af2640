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

"""Offline replay of bags: the same numbers twice, and a clear word about every bad bag."""

import json

import numpy as np
import pytest

from mem_vla_ros.core.states import HighLevelState, LowLevelState
from mem_vla_ros.evaluation import bag_messages
from mem_vla_ros.evaluation.bag_evaluation import BagEvaluation
from mem_vla_ros.evaluation.bag_reader import BagReader
from mem_vla_ros.evaluation.bag_result import evaluate_bag
from mem_vla_ros.evaluation.bag_storage import BagStorage
from mem_vla_ros.evaluation.bag_writer import STORAGES
from mem_vla_ros.evaluation.input_quality import input_quality
from mem_vla_ros.evaluation.metrics.history_parity import history_parity
from mem_vla_ros.evaluation.recorded_episode import read_episodes
from mem_vla_ros.evaluation.replay_settings import ReplaySettings
from mem_vla_ros.evaluation.variant import make_policies, Variant

START = 100.0
RECORDED = Variant('recorded')
HOLD = Variant('hold')
SETTINGS = ReplaySettings(frames=3, stride=1.0)


def values_of(result):
    assert not result.error
    return result.episodes[0]['values']


@pytest.mark.parametrize('storage', STORAGES)
def test_recorded_chunks_are_compared_with_the_joint_states(robot, bag_maker, storage):
    bag = bag_maker.add_inputs().add_goal().add_chunks(error=0.1).write(storage=storage)
    result = evaluate_bag(bag, robot, RECORDED, SETTINGS)
    values = values_of(result)
    assert values['action.mae'] == pytest.approx(0.1 / 4, rel=0.01)
    assert result.episodes[0]['goal'] == 'tidy up'
    assert result.episodes[0]['details']['action']['reference'] == 'joint_states'
    assert values['coverage.uncovered'] < 0.02
    assert result.whole


@pytest.mark.parametrize('storage', STORAGES)
def test_two_replays_give_identical_results(robot, bag_maker, storage):
    bag = bag_maker.add_inputs().add_goal().write(storage=storage)
    first, second = (
        json.dumps(evaluate_bag(bag, robot, HOLD, SETTINGS).to_dict()) for _ in range(2))
    assert first == second
    assert json.loads(first)['episodes'][0]['answers']['chunks'] >= 10


def test_holding_still_is_worse_than_what_was_recorded(robot, bag_maker):
    bag = bag_maker.add_inputs().add_chunks().write()
    held = values_of(evaluate_bag(bag, robot, HOLD, SETTINGS))
    recorded = values_of(evaluate_bag(bag, robot, RECORDED, SETTINGS))
    assert recorded['action.mae'] < 1e-3 < held['action.mae']


def test_replay_sees_the_frames_that_the_sampling_rule_chooses(robot, bag_maker):
    with BagStorage(bag_maker.add_inputs(seconds=6.0).write()) as storage:
        reader = BagReader(storage, robot)
        evaluation = BagEvaluation(
            reader, read_episodes(reader)[0], HOLD, make_policies(HOLD, robot, 3, 1.0), SETTINGS)
        for _ in evaluation.run():
            pass
        parity = history_parity(evaluation.trace, input_quality(reader)[1])
    assert parity.inferences > 10
    assert parity.equal == 1.0


def test_frames_of_a_live_run_equal_those_chosen_from_its_bag(robot, bag_maker):
    bag_maker.add_inputs()
    stamp = START + 3.04
    frames = [START + 1.0, START + 2.0, START + 3.0]
    right = LowLevelState('s', 'e', 0, stamp, 0.1, 8, '', '', {'base': frames}, stride=1.0)
    wrong = LowLevelState(
        's', 'e', 1, stamp, 0.1, 8, '', '', {'base': [START + 1.4, START + 2.0, START + 3.0]},
        stride=1.0)
    bag_maker.add_state('/ll_state', right, stamp).add_state('/ll_state', wrong, stamp + 0.001)
    values = values_of(evaluate_bag(bag_maker.write(), robot, RECORDED, SETTINGS))
    assert values['parity.equal'] == 0.5


def test_latency_of_the_machine_is_not_part_of_the_results(robot, bag_maker):
    result = evaluate_bag(bag_maker.add_inputs().write(), robot, HOLD, SETTINGS)
    assert len(result.durations_s['low_level']) == result.episodes[0]['answers']['chunks']
    assert 'durations_s' not in result.to_dict()
    assert not any(name.startswith('latency') for name in values_of(result))


def test_fixed_latency_delays_the_answers(robot, bag_maker):
    bag = bag_maker.add_inputs().write()
    quick = evaluate_bag(bag, robot, HOLD, ReplaySettings(low_level_latency_s=0.0))
    slow = evaluate_bag(bag, robot, HOLD, ReplaySettings(low_level_latency_s=0.9))
    assert slow.episodes[0]['answers']['chunks'] < quick.episodes[0]['answers']['chunks']


def test_each_episode_id_is_an_episode(robot, bag_maker):
    bag_maker.add_inputs().add_goal()
    for name, time in (('e1', START + 0.1), ('e1', START + 1.0), ('e2', START + 3.0)):
        state = HighLevelState(name, 0, time, 'g', '', 'pick', '', 'm', 0, 'ok', 'test')
        bag_maker.add_state('/hl_state', state, time)
    result = evaluate_bag(bag_maker.write(), robot, RECORDED, SETTINGS)
    assert [episode['duration_s'] for episode in result.episodes] == pytest.approx(
        [2.98, 2.98], abs=0.03)
    assert [episode['goal'] for episode in result.episodes] == ['tidy up', 'tidy up']


def test_annotations_on_a_topic_are_used(robot, bag_maker):
    bag_maker.add_inputs()
    state = HighLevelState('e', 0, START, 'g', '', 'pick', '', 'cup seen', 0, 'ok', 'test')
    bag_maker.add_state('/hl_state', state, START)
    bag_maker.add_annotation(type='subtask', text='pick', start=START, end=START + 3)
    bag_maker.add_annotation(type='subtask', text='place', start=START + 3)
    bag_maker.add_annotation(type='fact', match=['cup seen'], **{'from': START})
    values = values_of(evaluate_bag(bag_maker.write(), robot, RECORDED, SETTINGS))
    assert values['subtask.accuracy'] == pytest.approx(0.5, abs=0.01)
    assert values['subtask.missed'] == 1
    assert values['memory.kept'] == 1.0


def test_annotations_beside_the_bag_may_be_relative(robot, bag_maker):
    bag_maker.add_inputs()
    state = HighLevelState('e', 0, START, 'g', '', 'pick', '', '', 0, 'ok', 'test')
    bag = bag_maker.add_state('/hl_state', state, START).write()
    lines = [{'type': 'header', 'time': 'relative'},
             {'type': 'subtask', 'text': 'pick', 'start': 0.0, 'end': 6.0}]
    (bag.parent / 'bag.annotations.jsonl').write_text(
        '\n'.join(json.dumps(line) for line in lines))
    values = values_of(evaluate_bag(bag, robot, RECORDED, SETTINGS))
    assert values['subtask.accuracy'] == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(('line', 'message'), [
    ('{', 'line 1: not JSON'),
    ('[]', 'must be a JSON object'),
    ('{"type": "event"}', "'type' must be"),
    ('{"type": "subtask", "text": "x"}', "'start' must be a time"),
    ('{"type": "subtask", "text": "", "start": 1}', "'text' must name"),
    ('{"type": "subtask", "text": "x", "start": 2, "end": 1}', 'before'),
    ('{"type": "subtask", "text": "x", "start": 1, "outcome": "maybe"}', "'outcome'"),
    ('{"type": "fact", "match": "x", "from": 1}', "'match' must be"),
    ('{"type": "fact", "match": ["x"], "from": "now"}', "'from' must be a time"),
])
def test_bad_annotation_is_named_by_its_line(robot, bag_maker, line, message):
    bag = bag_maker.add_inputs(seconds=0.5).write()
    (bag / 'annotations.jsonl').write_text(line)
    result = evaluate_bag(bag, robot, RECORDED, SETTINGS)
    assert message in result.error
    assert not result.episodes


def test_missing_camera_refuses_replay_but_not_recorded_answers(robot, bag_maker):
    bag = bag_maker.add_inputs(cameras=('base',)).add_chunks().write()
    refused = evaluate_bag(bag, robot, HOLD, SETTINGS)
    assert "no topic 'cameras/rear/image'" in refused.error
    assert 'recorded' in refused.error
    assert not refused.episodes
    recorded = evaluate_bag(bag, robot, RECORDED, SETTINGS)
    assert 'action.mae' in values_of(recorded)
    assert 'camera:rear' in recorded.missing


def test_bag_without_images_still_gives_recorded_numbers(robot, bag_maker):
    bag = bag_maker.add_inputs(cameras=()).add_chunks().write()
    assert 'cannot be replayed' in evaluate_bag(bag, robot, HOLD, SETTINGS).error
    recorded = evaluate_bag(bag, robot, RECORDED, SETTINGS)
    assert 'action.mae' in values_of(recorded)
    assert 'parity' in recorded.episodes[0]['skipped']


def test_wrong_type_is_named(robot, bag_maker):
    bag_maker.add_inputs(cameras=('base',)).add_chunks()
    bag_maker.add('/cameras/rear/image', bag_messages.STRING, START,
                  bag_messages.encode_string('no image'))
    result = evaluate_bag(bag_maker.write(), robot, HOLD, SETTINGS)
    assert 'std_msgs/msg/String' in result.error
    assert 'sensor_msgs/msg/Image' in result.error


def test_unknown_encoding_is_counted_and_named(robot, bag_maker):
    bag_maker.add_inputs(cameras=('base',))
    types = bag_messages.typestore().types
    for step in range(60):
        image = types['sensor_msgs/msg/Image'](
            header=types['std_msgs/msg/Header'](
                stamp=types['builtin_interfaces/msg/Time'](sec=100, nanosec=step * 10**7),
                frame_id=''),
            height=4, width=4, encoding='bayer_rggb16', is_bigendian=0, step=8,
            data=np.zeros(32, np.uint8))
        data = bag_messages.typestore().serialize_cdr(image, bag_messages.IMAGE)
        bag_maker.add('/cameras/rear/image', bag_messages.IMAGE, START + step / 100, data)
    result = evaluate_bag(bag_maker.write(), robot, HOLD, SETTINGS)
    assert any('bayer_rggb16' in warning and '60 messages' in warning
               for warning in result.warnings)
    assert result.episodes[0]['answers']['chunks'] == 0
    assert 'action' in result.episodes[0]['skipped']


def test_missing_joints_are_named(robot, bag_maker):
    bag = bag_maker.add_inputs(names=('shoulder',)).write()
    result = evaluate_bag(bag, robot, RECORDED, SETTINGS)
    assert 'nothing to evaluate' in result.error
    assert "missing ['elbow']" in result.error


def test_stamps_going_backwards_are_dropped_and_told(robot, bag_maker):
    bag_maker.add_inputs()
    for time in (START + 2.003, START + 4.003):
        bag_maker.add('/joint_states', bag_messages.JOINT_STATE, time,
                      bag_messages.encode_joint_state(
                          ('shoulder', 'elbow'), np.array([9.0, 9.0]), time - 0.3))
    result = evaluate_bag(bag_maker.write(), robot, HOLD, SETTINGS)
    assert any('stamps go back 2 times' in warning for warning in result.warnings)
    assert result.episodes[0]['refused'] == {'out_of_order_joints': 2}


def test_different_camera_rates_are_told(robot, bag_maker):
    bag_maker.add_inputs(cameras=('base',))
    bag_maker.add_inputs(cameras=('rear',), camera_period=0.4, joint_period=10.0)
    result = evaluate_bag(bag_maker.write(), robot, HOLD, SETTINGS)
    assert any('different rates' in warning for warning in result.warnings)
    assert result.episodes[0]['answers']['chunks'] > 5


def test_truncated_bag_is_evaluated_but_not_called_whole(robot, bag_maker):
    bag = bag_maker.add_inputs().add_chunks().write()
    file = next(bag.glob('*.mcap'))
    file.write_bytes(file.read_bytes()[:file.stat().st_size // 2])
    result = evaluate_bag(bag, robot, RECORDED, SETTINGS)
    assert not result.whole
    assert any('not finished' in note for note in result.damage)
    assert result.episodes


def test_corrupt_sqlite_gives_a_message(robot, bag_maker):
    bag = bag_maker.add_inputs().write(storage='sqlite3')
    file = next(bag.glob('*.db3'))
    file.write_bytes(b'SQLite format 3\x00' + b'\x00' * 5000)
    result = evaluate_bag(bag, robot, RECORDED, SETTINGS)
    assert 'cannot be read' in result.error
    assert not result.episodes


def test_bag_with_other_topics_names_them(robot, bag_maker):
    bag_maker.add('/chatter', bag_messages.STRING, START, bag_messages.encode_string('hello'))
    result = evaluate_bag(bag_maker.write(), robot, RECORDED, SETTINGS)
    assert "no topic 'joint_states'" in result.error
    assert '/chatter' in result.error


def test_remaps_find_topics_under_other_names(robot, bag_maker):
    bag_maker.add_inputs(cameras=('base', 'back')).add_chunks()
    bag = bag_maker.write()
    remaps = {'cameras/rear/image': '/cameras/back/image'}
    assert values_of(evaluate_bag(bag, robot, HOLD, SETTINGS, remaps))
    wrong = evaluate_bag(bag, robot, HOLD, SETTINGS, {'cameras/rear/image': '/nowhere'})
    assert "['/nowhere'] are not in the bag" in wrong.error


def test_topics_in_a_namespace_are_found_if_there_is_one(robot, bag_maker):
    bag_maker.add_inputs()
    bag_maker.messages = [(time, f'/left{topic}', msgtype, data)
                          for time, topic, msgtype, data in bag_maker.messages]
    assert values_of(evaluate_bag(bag_maker.write('one'), robot, HOLD, SETTINGS))
    bag_maker.messages += [(time, topic.replace('/left', '/right'), msgtype, data)
                           for time, topic, msgtype, data in bag_maker.messages]
    result = evaluate_bag(bag_maker.write('two'), robot, HOLD, SETTINGS)
    assert 'Several topics' in result.error
    assert '--remap' in result.error


def test_bag_of_simulated_time_recorded_by_wall_clock_is_read_by_its_stamps(robot, bag_maker):
    bag_maker.add_inputs()
    bag_maker.messages = [(time + 1.7e9, *rest) for time, *rest in bag_maker.messages]
    result = evaluate_bag(bag_maker.write(), robot, HOLD, SETTINGS)
    assert any('another clock' in warning for warning in result.warnings)
    assert result.episodes[0]['answers']['chunks'] > 5


def test_scripted_variant_needs_the_oracle(robot, bag_maker):
    result = evaluate_bag(bag_maker.add_inputs().write(), robot, Variant('scripted'), SETTINGS)
    assert "no topic 'oracle'" in result.error
