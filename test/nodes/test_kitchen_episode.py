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

"""Fifteen minutes of kitchen through the high-level node, in fast-forwarded simulated time."""

from pathlib import Path

import pytest
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String
from support.messages import make_image, make_joint_state
from support.node_graph import wait_for

from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.memory.journal import read_episode
from mem_vla_ros.memory.memory_budget import MemoryBudget
from mem_vla_ros.ros import high_level_policy
from mem_vla_ros.ros.conversions import stamp_from_seconds
from mem_vla_ros.ros.qos import EVENT, LATCHED_STATES, SENSOR
from mem_vla_ros.training.labels.kitchen_episode import make_kitchen_episode
from mem_vla_ros.training.labels.label_replay_policy import LabelReplayPolicy
from mem_vla_ros.training.labels.labeller import Labeller

CAMERAS = ('base', 'left_wrist', 'right_wrist', 'rear')


@pytest.mark.parametrize('seconds', [
    60, pytest.param(900, marks=[pytest.mark.slow, pytest.mark.timeout(900)])])
def test_the_memories_of_the_labels_come_out_of_the_node(graph, tmp_path, monkeypatch, seconds):
    episode = make_kitchen_episode(0, float(seconds))
    records = Labeller(MemoryBudget()).label(episode)
    policy = LabelReplayPolicy(records, begin=1.0)
    monkeypatch.setattr(high_level_policy, 'make_high_level', lambda *args: policy)
    node = graph.start(
        high_level_policy.HighLevelPolicyNode, use_sim_time=True, journal=str(tmp_path),
        default_goal=episode.goal)
    graph.listen('hl_state', String, LATCHED_STATES)

    def decided(second):
        states = graph.received['hl_state']
        return states and HighLevelState.from_json(states[-1].data).stamp >= second

    for second in range(1, seconds + 1):
        stamp = stamp_from_seconds(float(second))
        graph.send('/clock', Clock(clock=stamp), EVENT)
        assert wait_for(lambda now=second: node.now() >= now)
        for camera in CAMERAS:
            graph.send(f'cameras/{camera}/image', make_image(stamp), SENSOR)
        graph.send('joint_states', make_joint_state(stamp), SENSOR)
        assert wait_for(lambda now=second: decided(now)), f'no decision at {second} s'

    last = node._loop.state
    expected = [record for record in records if record.start <= seconds - 1.0]
    assert last.memory == expected[-1].next_memory
    assert last.subtask == expected[-1].subtask
    journal = read_episode(Path(tmp_path), last.episode)
    assert journal[-1].state.memory == last.memory
    versions = {record.state.memory for record in journal}
    assert versions >= {record.next_memory for record in expected}
