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

"""Annotations made from a run that was right."""

from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.evaluation.annotations import annotation_file
from mem_vla_ros.evaluation.annotations_of_run import annotate_bag
from mem_vla_ros.evaluation.bag_result import evaluate_bag
from mem_vla_ros.evaluation.replay_settings import ReplaySettings
from mem_vla_ros.evaluation.variant import Variant

START = 100.0


def test_a_run_agrees_with_the_annotation_made_from_it(robot, bag_maker):
    bag_maker.add_inputs(seconds=8.0, cameras=())
    for time, subtask, memory in (
            (0.0, 'wait', ''), (2.0, 'open', 'cup is in drawer 2'),
            (5.0, 'pick', 'cup is in drawer 2. Drawer is open.')):
        state = HighLevelState(
            'e', 0, START + time, 'g', '', subtask, '', memory, 0, 'ok', 'scripted')
        bag_maker.add_state('/hl_state', state, START + time)
    bag = bag_maker.write()
    assert annotate_bag(bag, robot) == annotation_file(bag)
    values = evaluate_bag(
        bag, robot, Variant('recorded'), ReplaySettings()).episodes[0]['values']
    assert values['subtask.accuracy'] == 1.0
    assert values['subtask.switch_error_s'] == 0.0
    assert values['memory.kept'] == 1.0
    assert values['memory.invented'] == 0
