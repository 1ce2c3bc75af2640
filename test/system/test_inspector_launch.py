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

"""Neither a flooded page nor a killed inspector is noticed by the robot."""

from contextlib import ExitStack
import os
import re
import signal
import socket
import unittest

from diagnostic_msgs.msg import DiagnosticArray
from launch import LaunchDescription
from launch_testing.actions import ReadyToTest
import pytest
from support.demo_launch import include_demo
from support.graph_watcher import GraphWatcher
from support.processes import pids_of

from mem_vla_ros.ros.qos import EVENT

MORE_CHUNKS = 5


@pytest.mark.system
@pytest.mark.launch_test
def generate_test_description():
    return LaunchDescription([include_demo(seed='0'), ReadyToTest()])


class TestInspector(unittest.TestCase):
    """Attacks the inspector in the middle of the task."""

    def test_flood_and_kill_of_the_inspector_leave_the_policy_alone(self):
        with GraphWatcher() as watcher:
            watcher.listen('/diagnostics', DiagnosticArray, EVENT)
            self.assertTrue(watcher.wait_for(lambda: len(watcher.low_level) > 3))
            self.assertTrue(watcher.wait_for(lambda: self.port(watcher) is not None))
            port = self.port(watcher)
            with ExitStack() as sockets:
                for _ in range(200):
                    connection = sockets.enter_context(
                        socket.create_connection(('127.0.0.1', port)))
                    connection.sendall(b'GET / HTTP/1.1\r\nHost: ')
                self.assertTrue(self.goes_on(watcher))

            pids = pids_of('memory_inspector')
            self.assertEqual(len(pids), 1, pids)
            os.kill(pids[0], signal.SIGKILL)
            self.assertTrue(self.goes_on(watcher))
            self.assertTrue(watcher.wait_for(lambda: watcher.solved), watcher.scores[-1:])

    def port(self, watcher):
        """Return the port of the page, from the inspector's own diagnostics."""
        for array in watcher.received['/diagnostics']:
            for status in array.status:
                found = re.search(r'page at http://127\.0\.0\.1:(\d+)/', status.message)
                if found:
                    return int(found[1])
        return None

    def goes_on(self, watcher):
        """Return whether more good chunks come."""
        before = len(watcher.low_level)
        return watcher.wait_for(lambda: sum(
            state.status == 'ok' for state in watcher.low_level[before:]) >= MORE_CHUNKS)
