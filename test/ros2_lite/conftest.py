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

"""Fixtures that run `ros2` and `launch_test` as a user does."""

from collections.abc import Callable
import os
from pathlib import Path
import subprocess
import sys

import launch
import pytest

FILES = Path(__file__).parent / 'files'
HAS_ROS2_LITE = 'ros2_lite' in Path(launch.__file__).parts
Run = Callable[..., subprocess.CompletedProcess]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if HAS_ROS2_LITE:
        return
    skip = pytest.mark.skip(reason='the real launch is installed here, not ros2_lite')
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(skip)


@pytest.fixture(scope='session')
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment with a log directory and a ROS domain of its own."""
    return {
        **os.environ, 'ROS_LOG_DIR': str(tmp_path_factory.mktemp('log')),
        'ROS_DOMAIN_ID': str(100 + os.getpid() % 100), 'PYTHONUNBUFFERED': '1'}


@pytest.fixture(scope='session')
def start(environment: dict[str, str]) -> Callable[..., subprocess.Popen]:
    """Return a function that starts a command of this Python environment."""
    def start_command(command: str, *arguments: object, **env: str) -> subprocess.Popen:
        return subprocess.Popen(
            [Path(sys.prefix) / 'bin' / command, *map(str, arguments)],
            env={**environment, **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)

    return start_command


@pytest.fixture(scope='session')
def run(start: Callable[..., subprocess.Popen]) -> Run:
    """Return a function that runs a command to its end."""
    def run_command(command: str, *arguments: object, **env: str) -> subprocess.CompletedProcess:
        process = start(command, *arguments, **env)
        output, _ = process.communicate(timeout=60)
        return subprocess.CompletedProcess(process.args, process.returncode, output)

    return run_command
