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

"""Tests of who may command."""

import numpy as np

from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.execution.chunk_origin import ChunkOrigin


def make_chunk(stamp: float, session: str = 'first', episode: str = 'one') -> ActionChunk:
    return ActionChunk(('j',), stamp, 0.1, np.zeros((2, 1)), session, episode)


def test_first_session_wins():
    origin = ChunkOrigin()
    assert origin.admit(make_chunk(1.0), 1.0) is None
    assert origin.admit(make_chunk(1.1, 'rogue'), 1.1).name == 'second_session'
    assert origin.admit(make_chunk(1.2), 1.2) is None


def test_two_living_sessions_are_contested():
    origin = ChunkOrigin()
    origin.admit(make_chunk(1.0), 1.0)
    origin.admit(make_chunk(1.1, 'rogue'), 1.1)
    assert not origin.contested
    origin.admit(make_chunk(1.2), 1.2)
    assert origin.contested
    origin.release()
    assert not origin.contested


def test_restarted_session_takes_over_after_the_timeout():
    origin = ChunkOrigin(timeout_s=1.0)
    origin.admit(make_chunk(1.0), 1.0)
    assert origin.admit(make_chunk(1.9, 'second'), 1.9) is not None
    assert origin.admit(make_chunk(2.1, 'second'), 2.1) is None
    assert not origin.contested
    assert origin.admit(make_chunk(2.2), 2.2).name == 'second_session'


def test_chunk_is_never_taken_twice():
    origin = ChunkOrigin()
    origin.admit(make_chunk(1.0), 1.0)
    assert origin.admit(make_chunk(1.0), 1.1).name == 'repeated_chunk'
    assert origin.admit(make_chunk(0.9), 1.1).name == 'repeated_chunk'


def test_new_episode_ends_the_old_one():
    origin = ChunkOrigin()
    origin.admit(make_chunk(1.0, episode='one'), 1.0)
    assert origin.admit(make_chunk(1.1, episode='two'), 1.1) is None
    assert origin.admit(make_chunk(1.2, episode='one'), 1.2).name == 'old_episode'


def test_chunk_without_episode_ends_none():
    origin = ChunkOrigin()
    origin.admit(make_chunk(1.0, episode='one'), 1.0)
    assert origin.admit(make_chunk(1.1, episode=''), 1.1) is None
    assert origin.admit(make_chunk(1.2, episode='one'), 1.2) is None


def test_closed_episode_is_not_heard_again():
    origin = ChunkOrigin()
    origin.admit(make_chunk(1.0), 1.0)
    origin.release()
    assert origin.admit(make_chunk(1.1), 1.1).name == 'old_episode'
    assert origin.admit(make_chunk(1.1, episode='two'), 1.1) is None


def test_release_lets_time_begin_again():
    origin = ChunkOrigin()
    origin.admit(make_chunk(100.0), 100.0)
    origin.release()
    assert origin.admit(make_chunk(1.0, episode='two'), 1.0) is None


def test_restarted_policy_that_came_too_early_is_no_fault_once_it_took_over():
    origin = ChunkOrigin(timeout_s=1.0)
    origin.admit(make_chunk(1.0, session='first'), 1.0)
    assert origin.admit(make_chunk(1.9, session='restarted'), 1.9).name == 'second_session'
    assert origin.admit(make_chunk(2.1, session='restarted'), 2.1) is None
    assert origin.admit(make_chunk(2.3, session='restarted'), 2.3) is None
    assert not origin.contested
