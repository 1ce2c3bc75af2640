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

"""Nodes: what they get from launch_ros, and where their executables are found."""

from importlib.metadata import EntryPoint
import json
from pathlib import Path
import re
import sys
from types import SimpleNamespace

import pytest

FILES = Path(__file__).parent / 'files'


@pytest.fixture(scope='module')
def report(run) -> dict[str, dict[str, list]]:
    """Return the arguments and the parameter files of each node."""
    result = run('ros2', 'launch', FILES / 'node.launch.py', 'speed:=7.5')
    assert result.returncode == 0, result.stdout
    found: dict[str, dict[str, list]] = {}
    for name, kind, text in re.findall(r'^\[(\w+)-\d\] (\w+) (.*)$', result.stdout, re.M):
        found.setdefault(name, {}).setdefault(kind, []).append(json.loads(text))
    return found


@pytest.fixture
def package(tmp_path) -> Path:
    """Return the prefix of a package 'parcel' in the ament layout with one executable."""
    index = tmp_path / 'share/ament_index/resource_index/packages'
    index.mkdir(parents=True)
    (index / 'parcel').touch()
    libexec = tmp_path / 'lib/parcel'
    libexec.mkdir(parents=True)
    (libexec / 'speaker').write_text('#!/bin/sh\necho speaks "$@"\nexit 4\n')
    (libexec / 'speaker').chmod(0o755)
    (libexec / 'notes.txt').touch()
    return tmp_path


def test_node_without_extras_gets_only_the_flag(report) -> None:
    assert report['plain'] == {'arguments': [['own', '--ros-args']]}


def test_name_namespace_and_remappings_become_ros_arguments(report) -> None:
    file = ['--params-file', '<file>']
    assert report['full']['arguments'] == [[
        'own', '--ros-args', '--log-level', 'warn', '--ros-args', '-r', '__node:=arm',
        '-r', '__ns:=/left', *file * 4, '-r', 'chatter:=/talk', '-r', '/a:=b']]


def test_parameter_files_are_passed_in_order(report) -> None:
    first, second, _, substituted = report['full']['file']
    assert first == second == {'/**': {'ros__parameters': {'rate': 10}}}
    assert substituted == {'/left/arm': {'ros__parameters': {'speed': 7.5, 'color': 'gray'}}}


def test_parameter_dictionary_keeps_types_and_evaluates_substitutions(report) -> None:
    assert report['full']['file'][2] == {'/left/arm': {'ros__parameters': {
        'text': 'true', 'number': 3, 'ratio': 0.5, 'switch': False, 'speed': 7.5,
        'speed_text': '7.5', 'typed': 7.5, 'names': ['a', 'b'], 'mixed': [1.0, 2.5],
        'joined': 'at 7.5', 'listed': ['a7.5', 'b'], 'nested.deep.er': 1}}}


def test_scope_gives_namespace_parameters_and_remaps_to_its_nodes(report) -> None:
    assert report['grouped']['arguments'] == [[
        'own', '--ros-args', '-r', '__ns:=/robot/right/hand', '-p', 'use_sim_time:=True',
        '-r', 'tf:=/tf', '-r', 'x:=y']]
    assert report['lifecycle']['arguments'] == [[
        '--ros-args', '-r', '__node:=managed', '-r', '__ns:=/absolute', '-p',
        'use_sim_time:=True', '-r', 'tf:=/tf']]
    assert report['outside'] == report['plain']


def test_ros2_run_finds_an_executable_and_returns_its_code(run, package) -> None:
    result = run('ros2', 'run', 'parcel', 'speaker', 'a', '--b', AMENT_PREFIX_PATH=str(package))
    assert result.stdout == 'speaks a --b\n[ros2run]: Process exited with failure 4\n'
    assert result.returncode == 4


@pytest.mark.parametrize(('arguments', 'message'), [
    (['parcel', 'notes.txt'], 'No executable found'),
    (['no_such_package', 'speaker'], "package 'no_such_package' not found"),
])
def test_ros2_run_without_such_an_executable_fails(run, package, arguments, message) -> None:
    result = run('ros2', 'run', *arguments, AMENT_PREFIX_PATH=str(package))
    assert result.returncode == 1
    assert message in result.stdout


def test_node_is_found_in_the_ament_layout(run, package) -> None:
    file = package / 'speaker.launch.py'
    file.write_text(
        'from launch import LaunchDescription\n'
        'from launch.substitutions import LaunchConfiguration\n'
        'from launch.actions import DeclareLaunchArgument\n'
        'from launch_ros.actions import Node\n'
        'def generate_launch_description():\n'
        '    return LaunchDescription([\n'
        '        DeclareLaunchArgument("which", default_value="speaker"),\n'
        '        Node(package="parcel", executable=LaunchConfiguration("which"),\n'
        '             name="n", output="screen")])\n')
    result = run('ros2', 'launch', file, AMENT_PREFIX_PATH=str(package))
    assert '[speaker-1] speaks --ros-args -r __node:=n\n' in result.stdout
    missing = run('ros2', 'launch', file, 'which:=singer', AMENT_PREFIX_PATH=str(package))
    assert missing.returncode == 1
    assert "executable 'singer' not found" in missing.stdout


def test_console_script_of_the_package_is_found_in_the_bin_of_pip(
    package, monkeypatch,
) -> None:
    from ros2_lite import packages
    scripts = package / 'bin'
    scripts.mkdir()
    for name in ('singer', 'stranger'):
        (scripts / name).write_text('#!/bin/sh\n')
        (scripts / name).chmod(0o755)
    entry_points = [EntryPoint('singer', 'parcel:main', 'console_scripts')]
    monkeypatch.setattr(
        packages, 'distribution', lambda name: SimpleNamespace(entry_points=entry_points))
    monkeypatch.setattr(sys, 'prefix', str(package))
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(package))
    assert [path.name for path in packages.executables('parcel')] == ['speaker', 'singer']


def test_prefix_of_the_environment_is_set_once(monkeypatch) -> None:
    from ros2_lite.packages import ensure_prefix_in_environment
    monkeypatch.setenv('AMENT_PREFIX_PATH', '/elsewhere')
    monkeypatch.setenv('PATH', '/bin')
    for _ in range(2):
        ensure_prefix_in_environment()
    import os
    assert os.environ['AMENT_PREFIX_PATH'] == f'{sys.prefix}:/elsewhere'
    assert os.environ['PATH'] == f'{sys.prefix}/bin:/bin'
