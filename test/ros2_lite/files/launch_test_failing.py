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

"""A launch test in which one test of three fails."""

import unittest

from launch import LaunchDescription
import launch_testing
from launch_testing.actions import ReadyToTest
from launch_testing.util import KeepAliveProc
import pytest


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    return LaunchDescription([KeepAliveProc(), ReadyToTest()])


class TestMixed(unittest.TestCase):

    def test_good(self) -> None:
        self.assertEqual(1 + 1, 2)

    def test_bad(self) -> None:
        self.assertEqual('apples', 'pears')


@launch_testing.post_shutdown_test()
class TestLater(unittest.TestCase):

    def test_later(self, proc_info: object) -> None:
        self.assertEqual(len(list(proc_info)), 1)
