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

"""Rollouts through the graph: what is launched, and what its end means."""

from pathlib import Path

import pytest
import yaml

from mem_vla_ros.evaluation import graph_rollouts
from mem_vla_ros.evaluation.graph_rollouts import roll_out_in_graph
from mem_vla_ros.evaluation.rollout import RolloutSettings
from mem_vla_ros.evaluation.rollouts import RolloutJob

SCORE = {'task': 'chopstick', 'seed': 3, 'success': False, 'points': 1.0, 'max_points': 2.0,
         'failed': True, 'done': True, 'reason': 'missed 3 times', 'details': {}, 'time_s': 9.0}


class FakeGraph:
    """Stands in for the launch; keeps what it was asked."""

    def __init__(self, score, log=''):
        self.score, self.text = score, log

    def __call__(self, task, seed, launch_arguments, environment, log):
        self.arguments = dict(item.split(':=', 1) for item in launch_arguments)
        self.parameters = yaml.safe_load(Path(self.arguments['params_file']).read_text())
        self.domain = int(environment['ROS_DOMAIN_ID'])
        log.write(self.text)
        return self.score


@pytest.fixture
def play(monkeypatch):
    """Return a function that plays one episode in a fake graph."""
    def play_one(graph, high='', **settings):
        monkeypatch.setattr(graph_rollouts, 'play_in_graph', graph)
        job = RolloutJob('chopstick', 'low', high, 'robot.yaml', slip=0.2,
                         settings=RolloutSettings(**settings))
        row, = roll_out_in_graph(job, [3])
        return row
    return play_one


def test_without_a_high_level_the_graph_starts_with_one_policy(play):
    graph = FakeGraph(SCORE)
    row = play(graph)
    assert graph.arguments['high_level'] == 'false'
    assert graph.arguments['start_subscribers'] == '1'
    assert graph.arguments['slip'] == '0.2'
    assert Path(graph.arguments['low_level_checkpoint']).is_absolute()
    assert 1 <= graph.domain <= 101
    assert row == {key: SCORE[key] for key in (
        'seed', 'success', 'points', 'max_points', 'reason', 'details', 'time_s')}


def test_nodes_are_set_as_rollouts_in_process_are(play):
    graph = FakeGraph(SCORE)
    play(graph, high='high', execution_rows=4, decide_every_s=2.0, memory_mode='naive')
    assert graph.arguments['high_level_backend'] == 'memvla'
    assert 'high_level' not in graph.arguments
    assert graph.parameters == {
        '/**/high_level_policy': {'ros__parameters': {'memory_mode': 'naive', 'period': 2.0}},
        '/**/low_level_policy': {'ros__parameters': {'execution_horizon': 3}}}


def test_a_graph_without_a_score_is_a_failure_and_shows_its_log(play, capsys):
    row = play(FakeGraph(None, 'low_level_policy: no such checkpoint\n'))
    assert not row['success'] and row['max_points'] == 2.0
    assert row['reason'] == 'the graph ended without a score'
    assert 'no such checkpoint' in capsys.readouterr().out


def test_an_executor_that_stopped_for_good_is_the_reason(play):
    log = '[action_executor-3] [ERROR] [1.5] [action_executor]: FAULT rejected_chunks, chunk_age\n'
    assert play(FakeGraph(SCORE, log))['reason'] == 'executor in FAULT: rejected_chunks'
    solved = SCORE | {'success': True, 'reason': 'task completed'}
    assert play(FakeGraph(solved, log))['reason'] == 'task completed'
