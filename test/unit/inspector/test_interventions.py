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

import dataclasses

import pytest

from mem_vla_ros.core.errors import MemVlaError, TextRejected
from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.inspector.interventions import InterventionRefused, Interventions
from mem_vla_ros.inspector.recorder import Recorder

STATE = HighLevelState(
    episode='e1', step=0, stamp=1.0, goal='tidy up', previous_subtask='', subtask='take the cup',
    previous_memory='', memory='one', memory_version=1, status='ok', source='scripted')


class Robot:
    """Takes every action at its word."""

    def __init__(self) -> None:
        self.recorder = Recorder()
        self.recorder.high_level(1.0, STATE)
        self.recorder.high_level(2.0, dataclasses.replace(STATE, memory='one two'))
        self.done: list[tuple[str, str]] = []
        self.refuses = False

    def perform(self, action: str, text: str) -> None:
        if self.refuses:
            raise MemVlaError('not now')
        self.done.append((action, text))
        now = 2.0 + len(self.done)
        if action == 'set_goal':
            self.recorder.goal(now, text)
        if action == 'set_memory':
            self.recorder.high_level(now, dataclasses.replace(STATE, memory=text))


@pytest.fixture
def robot() -> Robot:
    return Robot()


@pytest.fixture
def interventions(robot) -> Interventions:
    return Interventions(robot.recorder, robot.perform, lambda: 10.0)


def test_every_intervention_is_noted(robot, interventions):
    interventions.act('set_goal', ' wash up ')
    interventions.act('hold')
    assert [mark.data for mark in robot.recorder.timeline.of('edit')] == [
        {'action': 'set_goal', 'text': 'wash up'}, {'action': 'hold', 'text': ''}]


@pytest.mark.parametrize(('action', 'text', 'undone'), [
    ('set_goal', 'wash up', ('set_goal', 'tidy up')),
    ('set_memory', 'three', ('set_memory', 'one two')),
    ('hold', '', ('resume', '')),
    ('resume', '', ('hold', '')),
    ('reset', '', ('set_memory', 'one two')),
])
def test_every_intervention_can_be_undone(robot, interventions, action, text, undone):
    interventions.act(action, text)
    interventions.act('undo')
    assert robot.done[-1] == undone
    with pytest.raises(InterventionRefused, match='nothing to undo'):
        interventions.act('undo')


def test_roll_back_writes_the_text_of_the_old_version(robot, interventions):
    number = robot.recorder.timeline.of('memory')[0].number
    interventions.act('roll_back', str(number))
    assert robot.done == [('set_memory', 'one')]
    interventions.act('undo')
    assert robot.done[-1] == ('set_memory', 'one two')


def test_refused_intervention_is_neither_noted_nor_undoable(robot, interventions):
    robot.refuses = True
    with pytest.raises(MemVlaError, match='not now'):
        interventions.act('hold')
    assert robot.recorder.timeline.of('edit') == []
    robot.refuses = False
    with pytest.raises(InterventionRefused):
        interventions.act('undo')


def test_refused_undo_can_be_tried_again(robot, interventions):
    interventions.act('hold')
    robot.refuses = True
    with pytest.raises(MemVlaError):
        interventions.act('undo')
    robot.refuses = False
    interventions.act('undo')
    assert robot.done[-1] == ('resume', '')


@pytest.mark.parametrize(('action', 'text', 'error'), [
    ('set_goal', '', TextRejected), ('set_goal', 'x' * 2001, TextRejected),
    ('set_memory', 'x' * 2001, TextRejected), ('roll_back', '', InterventionRefused),
    ('roll_back', '0', InterventionRefused), ('', '', InterventionRefused),
    ('perform', '', InterventionRefused)])
def test_bad_wish_is_refused_before_the_robot_hears_of_it(
        robot, interventions, action, text, error):
    with pytest.raises(error):
        interventions.act(action, text)
    assert robot.done == []
