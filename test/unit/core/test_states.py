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

"""States survive the way through JSON, and foreign text is refused."""

import json
import math

import pytest

from mem_vla_ros.core.states import HighLevelState, LowLevelState, StateRejected


@pytest.fixture
def low():
    return LowLevelState(
        session='s', episode='e', chunk=3, stamp=1.5, dt=0.1, rows=16, goal='g', subtask='t',
        frame_stamps={'base': [math.nan, 1.5]}, joint_stamps=[math.nan, 1.5])


def test_low_level_state_returns_with_padding_as_none(low):
    read = LowLevelState.from_json(low.to_json())
    assert read.frame_stamps == {'base': [None, 1.5]}
    assert read.chunk == 3


def test_high_level_state_returns_unchanged():
    state = HighLevelState('e', 1, 2.0, 'g', 'a', 'b', '', 'm "x" \u2603', 1, 'ok', 'me')
    assert HighLevelState.from_json(state.to_json()) == state


def test_keys_of_newer_writers_are_ignored(low):
    document = json.loads(low.to_json()) | {'colour': 'red'}
    assert LowLevelState.from_json(json.dumps(document)).chunk == 3


@pytest.mark.parametrize('text', ['', 'no json', '[1]', '{}', '{"episode": 1}'])
def test_foreign_text_is_refused(text):
    with pytest.raises(StateRejected):
        HighLevelState.from_json(text)
