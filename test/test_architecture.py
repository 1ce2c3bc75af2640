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

"""The import arrows of docs/architecture.md."""

import ast
from pathlib import Path
import subprocess
import sys

import pytest

PACKAGE = Path(__file__).parents[1] / 'mem_vla_ros'

# Each layer may import those named here, and itself.
ALLOWED = {
    'core': set(),
    'memory': {'core'},
    'execution': {'core'},
    'models': {'core'},
    'policies': {'core', 'memory', 'execution', 'models'},
    'sim': {'core', 'policies'},
    'training': {'core', 'memory', 'execution', 'models', 'policies', 'sim'},
    'evaluation': {'core', 'memory', 'execution', 'models', 'policies', 'sim', 'training'},
    'inspector': {'core', 'memory', 'execution', 'policies'},
}
# These stand at the top and may import every layer.
TOP = {'ros', 'commands', 'cli'}
ROS_MODULES = {
    'rclpy', 'cv_bridge', 'rosbag2_py', 'launch', 'launch_ros', 'builtin_interfaces',
    'diagnostic_msgs', 'lifecycle_msgs', 'rcl_interfaces', 'rosgraph_msgs', 'sensor_msgs',
    'std_msgs', 'std_srvs', 'trajectory_msgs',
}
FILES = sorted(PACKAGE.rglob('*.py'))


def imported_modules(path):
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'{path} has a relative import'
            yield node.module
            yield from (f'{node.module}.{alias.name}' for alias in node.names)


def layer_of(path):
    return path.relative_to(PACKAGE).with_suffix('').parts[0]


@pytest.mark.parametrize('path', FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_follow_the_arrows(path):
    layer = layer_of(path)
    for module in imported_modules(path):
        parts = module.split('.')
        if parts[0] == 'mem_vla_ros' and len(parts) > 1 and layer in ALLOWED:
            assert parts[1] in ALLOWED[layer] | {layer}, f'{layer} must not import {module}'
        if parts[0] in ROS_MODULES:
            assert layer == 'ros', f'{module} belongs below mem_vla_ros/ros/'
        if parts[0] in ('torch', 'transformers'):
            assert layer not in ('core', 'memory', 'execution', 'inspector', 'sim'), module
        assert parts[0] not in ('pickle', 'cloudpickle'), 'no pickle'


def test_every_layer_is_known():
    layers = {layer_of(path) for path in FILES} - {'__init__'}
    assert layers <= ALLOWED.keys() | TOP


@pytest.mark.parametrize('module', ['mem_vla_ros.policies.interface', 'mem_vla_ros.cli'])
def test_interface_and_command_line_start_without_torch(module):
    code = f'import sys, {module}; sys.exit("torch" in sys.modules)'
    assert subprocess.run([sys.executable, '-c', code], check=False).returncode == 0
