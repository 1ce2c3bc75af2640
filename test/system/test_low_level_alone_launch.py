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

"""The low level without a high level acts from the goal alone."""

from pathlib import Path
import tempfile
import unittest

from launch import LaunchDescription
from launch_testing.actions import ReadyToTest
import pytest
from support.demo_launch import include_demo
from support.graph_watcher import GraphWatcher
from support.tiny_checkpoint import write_tiny_checkpoint


@pytest.mark.system
@pytest.mark.launch_test
def generate_test_description():
    checkpoint = write_tiny_checkpoint(Path(tempfile.mkdtemp()) / 'checkpoint')
    return LaunchDescription([
        include_demo(high_level='false', start_subscribers='1', inspector='false',
                     start_timeout='180.0', low_level_backend='memvla',
                     low_level_checkpoint=str(checkpoint)),
        ReadyToTest()])


class TestLowLevelAlone(unittest.TestCase):
    """Watches the chunks of a random policy."""

    def test_chunks_come_for_the_goal_and_no_subtask(self):
        with GraphWatcher() as watcher:
            self.assertTrue(watcher.wait_for(
                lambda: any(state.status == 'ok' for state in watcher.low_level),
                timeout=180))
            state = next(state for state in watcher.low_level if state.status == 'ok')
            self.assertEqual(state.subtask, '')
            self.assertEqual(watcher.high_level, [])
