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

"""Launch files run by `ros2 launch`: arguments, scopes, substitutions, included files."""

from pathlib import Path
import subprocess

import pytest

FILES = Path(__file__).parent / 'files'


@pytest.fixture(scope='module')
def scopes(run) -> subprocess.CompletedProcess:
    return run('ros2', 'launch', FILES / 'scopes.launch.py')


def test_show_args_lists_every_argument(run) -> None:
    result = run('ros2', 'launch', FILES / 'arguments.launch.py', '--show-args')
    assert result.returncode == 0
    assert result.stdout == (
        "Arguments (pass arguments as '<name>:=<value>'):\n"
        '\n'
        "    'robot':\n"
        '        Name of the robot\n'
        '\n'
        "    'mode':\n"
        "        How fast it moves. Valid choices are: ['fast', 'slow']\n"
        "        (default: 'fast')\n"
        '\n'
        "    'silent':\n"
        '        no description given\n'
        "        (default: '0')\n"
        '\n'
        "    'user':\n"
        '        no description given\n'
        "        (default: 'user-' + EnvVar('LITE_USER'))\n"
        '\n'
        "    'hidden':*\n"
        '        no description given\n'
        "        (default: 'deep')\n"
        '\n'
        '* argument(s) which are only used if specific conditions occur\n')


def test_arguments_reach_the_launch_file(run) -> None:
    result = run(
        'ros2', 'launch', FILES / 'arguments.launch.py', 'robot:=r1', 'mode:=slow', 'robot:=r2',
        LITE_USER='ann')
    assert result.returncode == 0
    assert '[INFO] [launch.user]: robot=r2 mode=slow\n' in result.stdout
    assert 'user=user-ann' in result.stdout
    assert 'this is not said' not in result.stdout


@pytest.mark.parametrize(('arguments', 'message'), [
    ([], "missing required argument 'robot' (description: 'Name of the robot')"),
    (['robot:=x', 'mode:=mid'], 'Argument "mode" provided value "mid" is not valid. '
                                "Valid options are: ['fast', 'slow']"),
    (['robot'], "malformed launch argument 'robot', expected format '<name>:=<value>'"),
    (['robot:=x', 'silent:=perhaps'], "but got 'perhaps'"),
])
def test_wrong_argument_ends_the_launch_with_code_1(run, arguments, message) -> None:
    result = run('ros2', 'launch', FILES / 'arguments.launch.py', *arguments)
    assert result.returncode == 1
    assert message in result.stdout


@pytest.mark.parametrize('line', [
    'scoped: inner red', 'after scoped: outer bluegreen', 'unscoped: kept',
    'after unscoped: kept',
])
def test_group_keeps_its_settings_to_itself_if_scoped(scopes, line) -> None:
    assert f'[launch.user]: {line}\n' in scopes.stdout


@pytest.mark.parametrize('line', [
    'if holds', 'equals holds', 'not: true', 'and: false or: true', 'all: true any: false',
    'equal: truetrue', 'differ: false', 'choice: no', 'sum: 5', 'joined: a/kept/c.yaml',
    'seen kept!',
])
def test_condition_or_substitution_gives(scopes, line) -> None:
    assert scopes.returncode == 0
    assert f'[launch.user]: {line}\n' in scopes.stdout
    assert 'unless does not' not in scopes.stdout


def test_process_gets_the_environment_of_its_place(scopes) -> None:
    assert '[environment-1] one:two False own\n' in scopes.stdout


def test_included_file_gets_arguments_and_knows_its_directory(scopes) -> None:
    assert 'needed=given\n' in scopes.stdout
    assert 'optional=own default\n' in scopes.stdout
    assert f'directory={FILES}\n' in scopes.stdout


def test_include_without_its_required_argument_fails(run, tmp_path) -> None:
    file = tmp_path / 'including.launch.py'
    file.write_text(
        'from launch import LaunchDescription\n'
        'from launch.actions import IncludeLaunchDescription\n'
        'def generate_launch_description():\n'
        '    return LaunchDescription([\n'
        f'        IncludeLaunchDescription("{FILES}/included.launch.py")])\n')
    result = run('ros2', 'launch', file)
    assert result.returncode == 1
    assert "missing required argument 'needed' (description: 'Must be given')" in result.stdout


def test_launch_file_is_found_in_the_share_directory_of_a_package(run, tmp_path) -> None:
    share = tmp_path / 'share'
    (share / 'ament_index/resource_index/packages').mkdir(parents=True)
    (share / 'ament_index/resource_index/packages/parcel').touch()
    (share / 'parcel/launch').mkdir(parents=True)
    (share / 'parcel/launch/find.launch.py').write_text(
        'from launch import LaunchDescription\n'
        'from launch.actions import LogInfo\n'
        'from launch.substitutions import PathJoinSubstitution\n'
        'from launch_ros.substitutions import FindPackagePrefix, FindPackageShare\n'
        'def generate_launch_description():\n'
        '    return LaunchDescription([\n'
        '        LogInfo(msg=PathJoinSubstitution([FindPackageShare("parcel"), "config"])),\n'
        '        LogInfo(msg=["prefix ", FindPackagePrefix("parcel")])])\n')
    result = run('ros2', 'launch', 'parcel', 'find.launch.py', AMENT_PREFIX_PATH=str(tmp_path))
    assert result.returncode == 0
    assert f'[launch.user]: {share}/parcel/config\n' in result.stdout
    assert f'prefix {tmp_path}\n' in result.stdout
    missing = run('ros2', 'launch', 'parcel', 'no.launch.py', AMENT_PREFIX_PATH=str(tmp_path))
    assert missing.returncode == 1
    assert "file 'no.launch.py' was not found in the share directory" in missing.stdout
