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

"""A launch test whose process ends before the test is done."""

import sys
import threading
import unittest

from launch import LaunchDescription
from launch.actions import ExecuteProcess
from launch_testing.actions import ReadyToTest
import pytest


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    script = 'import sys; sys.exit("broken")'
    return LaunchDescription(
        [ExecuteProcess(cmd=[sys.executable, '-c', script], name='broken'), ReadyToTest()])


class TestTooLong(unittest.TestCase):

    def test_waits(self) -> None:
        threading.Event().wait(30)
