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

"""The commands of `ros2` which look at a running graph and at packages."""

from collections.abc import Iterator
from pathlib import Path
import subprocess
import sys

import pytest

FILES = Path(__file__).parent / 'files'


@pytest.fixture(scope='module')
def node(start) -> Iterator[subprocess.Popen]:
    process = start(
        'python', FILES / 'parameter_reporter.py', '--ros-args', '-r', '__ns:=/seen', '-p',
        'rate:=1', '-p', 'speed:=2', '-p', 'labels:=[a]', '-p', 'nested.gain:=3')
    assert 'node /seen/default_name' in process.stdout.readline()
    yield process
    process.terminate()
    process.communicate(timeout=20)


def test_node_is_listed_and_the_looking_one_is_hidden(run, node) -> None:
    for _ in range(5):  # discovery of a new process may take longer than one look
        nodes = run('ros2', 'node', 'list').stdout
        if '/seen/default_name' in nodes:
            break
    assert nodes == '/seen/default_name\n'


def test_message_is_echoed_once(run, node) -> None:
    assert run('ros2', 'topic', 'echo', '--once', '/seen/chatter').stdout.endswith(
        'data: tick\n---\n')


def test_service_is_called_with_a_request_in_yaml(run, node) -> None:
    result = run(
        'ros2', 'service', 'call', '/seen/default_name/get_parameters',
        'rcl_interfaces/srv/GetParameters', '{names: [rate]}')
    assert 'integer_value=1' in result.stdout
    wrong = run(
        'ros2', 'service', 'call', '/seen/default_name/get_parameters',
        'rcl_interfaces/srv/GetParameters', '{nmaes: [rate]}')
    assert wrong.returncode == 1
    assert "'nmaes' is not a field of GetParameters_Request. Allowed: ['names']" in wrong.stdout


def test_nested_request_is_filled_from_plain_values() -> None:
    from rcl_interfaces.srv import SetParameters
    from ros2_lite.messages import fill, to_plain
    values = {'parameters': [{'name': 'x', 'value': {'type': 3, 'double_value': 2}}]}
    plain = to_plain(fill(SetParameters.Request(), values))
    assert plain['parameters'][0]['name'] == 'x'
    assert plain['parameters'][0]['value']['double_value'] == 2.0


def test_prefix_of_a_package_is_that_of_the_environment(run) -> None:
    assert run('ros2', 'pkg', 'prefix', 'rclpy').stdout == f'{sys.prefix}\n'
    assert 'rclpy\n' in run('ros2', 'pkg', 'list').stdout
