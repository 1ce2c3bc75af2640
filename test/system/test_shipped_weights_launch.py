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


"""The weights that ship, in the whole graph: both levels answer, and the arm moves safely."""

import unittest

from launch import LaunchDescription
from launch_testing.actions import ReadyToTest
import pytest
from support.demo_launch import include_demo
from support.graph_watcher import GraphWatcher

from mem_vla_ros.core.weights import HIGH_LEVEL, LOW_LEVEL


@pytest.mark.system
@pytest.mark.launch_test
def generate_test_description():
    return LaunchDescription([
        include_demo(
            inspector='false', start_timeout='180.0',
            low_level_backend='memvla', low_level_checkpoint=str(LOW_LEVEL),
            high_level_backend='memvla', high_level_checkpoint=str(HIGH_LEVEL)),
        ReadyToTest()])


class TestShippedWeights(unittest.TestCase):
    """Watches until the hand has hidden the cube and the robot has noted it."""

    def test_the_high_level_notes_what_it_saw_and_the_low_level_follows(self):
        with GraphWatcher() as watcher:
            noted = watcher.wait_for(
                lambda: any('drawer' in state.memory for state in watcher.high_level),
                timeout=180)
            self.assertTrue(noted, [state.memory for state in watcher.high_level])
            told = watcher.wait_for(
                lambda: any(state.status == 'ok' and 'drawer' in state.subtask
                            for state in watcher.low_level), timeout=60)
            self.assertTrue(told, {state.subtask for state in watcher.low_level})
