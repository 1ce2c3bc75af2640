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

"""Killed policy nodes come back, and the loop goes on to the end of the task."""

import os
import signal
import tempfile
import unittest

from launch import LaunchDescription
from launch_testing.actions import ReadyToTest
import pytest
from support.demo_launch import include_demo
from support.graph_watcher import GraphWatcher
from support.processes import pids_of


@pytest.mark.system
@pytest.mark.launch_test
def generate_test_description():
    journal = tempfile.mkdtemp()
    return LaunchDescription([include_demo(seed='8', journal=journal), ReadyToTest()])


class TestRespawn(unittest.TestCase):
    """Kills both policies in the middle of the task."""

    def test_killed_policies_come_back_and_the_task_is_solved(self):
        with GraphWatcher() as watcher:
            started = watcher.wait_for(
                lambda: any('drawer' in state.memory for state in watcher.high_level))
            self.assertTrue(started)
            before = watcher.high_level[-1]

            self.kill('high_level_policy')
            self.assertTrue(watcher.wait_for(
                lambda: any(state.status == 'restored' for state in watcher.high_level)))
            restored = next(
                state for state in watcher.high_level if state.status == 'restored')
            self.assertEqual(restored.episode, before.episode)
            self.assertIn('drawer', restored.memory)

            session = watcher.low_level[-1].session
            self.kill('low_level_policy')
            self.assertTrue(watcher.wait_for(
                lambda: watcher.low_level[-1].session != session))
            self.assertTrue(watcher.wait_for(lambda: watcher.solved), watcher.scores[-1:])

    def kill(self, executable):
        pids = pids_of(executable)
        self.assertEqual(len(pids), 1, pids)
        os.kill(pids[0], signal.SIGKILL)
