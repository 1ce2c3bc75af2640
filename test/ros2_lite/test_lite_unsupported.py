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

"""What ros2_lite does not have fails with its name."""

import importlib

import pytest


@pytest.mark.parametrize(('module', 'name'), [
    ('launch', 'LaunchIntrospector'),
    ('launch.actions', 'OpaqueCoroutine'),
    ('launch.substitutions', 'Command'),
    ('launch.event_handlers', 'OnExecutionComplete'),
    ('launch_ros.actions', 'ComposableNodeContainer'),
    ('launch_ros.substitutions', 'Parameter'),
    ('launch_testing.actions', 'GTest'),
])
def test_import_of_an_unsupported_class_names_it(module, name) -> None:
    with pytest.raises(ImportError, match=f"'{module}.{name}' is not supported by ros2_lite"):
        exec(f'from {module} import {name}')


def test_unsupported_function_is_an_attribute_error() -> None:
    module = importlib.import_module('launch.utilities')
    assert not hasattr(module, 'is_a')
    with pytest.raises(AttributeError, match=r"'launch\.utilities\.is_a' is not supported"):
        getattr(module, 'is_a')  # noqa: B009


def test_unknown_keyword_names_the_action_and_the_keyword() -> None:
    from launch.actions import DeclareLaunchArgument, ExecuteProcess
    from launch_ros.actions import Node
    with pytest.raises(TypeError, match="ExecuteProcess: ros2_lite .* 'cached_output'"):
        ExecuteProcess(cmd=['true'], cached_output=True)
    with pytest.raises(TypeError, match="Node: ros2_lite has no keyword argument 'colour'"):
        Node(executable='x', colour='red')
    with pytest.raises(TypeError, match="DeclareLaunchArgument: .* 'defualt'"):
        DeclareLaunchArgument('x', defualt='y')


def test_unknown_keyword_of_an_event_handler_is_named() -> None:
    from launch.event_handlers import OnShutdown
    with pytest.raises(TypeError, match="OnShutdown: .* 'later'"):
        OnShutdown(on_shutdown=[], later=True)


def test_launch_file_in_xml_is_refused_by_name(run, tmp_path) -> None:
    file = tmp_path / 'some.launch.xml'
    file.write_text('<launch/>')
    result = run('ros2', 'launch', file)
    assert result.returncode == 1
    assert 'XML and YAML launch files are not supported by ros2_lite' in result.stdout


def test_unsupported_import_in_a_launch_file_ends_the_launch_with_its_name(
    run, tmp_path,
) -> None:
    file = tmp_path / 'composed.launch.py'
    file.write_text('from launch_ros.actions import ComposableNodeContainer\n')
    result = run('ros2', 'launch', file)
    assert result.returncode == 1
    assert "'launch_ros.actions.ComposableNodeContainer' is not supported by ros2_lite" \
        in result.stdout
