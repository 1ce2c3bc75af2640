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

"""Conditions, substitutions, groups, the environment and an included file."""

import sys

from launch import LaunchContext, LaunchDescription
from launch.actions import (
    AppendEnvironmentVariable,
    ExecuteProcess,
    GroupAction,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
    UnsetEnvironmentVariable,
    UnsetLaunchConfiguration,
)
from launch.conditions import IfCondition, LaunchConfigurationEquals, UnlessCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import (
    AllSubstitution,
    AndSubstitution,
    AnySubstitution,
    EnvironmentVariable,
    EqualsSubstitution,
    FindExecutable,
    IfElseSubstitution,
    LaunchConfiguration,
    NotEqualsSubstitution,
    NotSubstitution,
    OrSubstitution,
    PathJoinSubstitution,
    PythonExpression,
    TextSubstitution,
    ThisLaunchFileDir,
)


def look_around(context: LaunchContext, greeting: str, *, mark: str) -> list:
    value = LaunchConfiguration('value').perform(context)
    return [LogInfo(msg=f'{greeting} {value}{mark}')]


def generate_launch_description() -> LaunchDescription:
    value = LaunchConfiguration('value')
    color = EnvironmentVariable('LITE_COLOR', default_value='none')
    return LaunchDescription([
        SetLaunchConfiguration('value', 'outer'),
        SetLaunchConfiguration('flag', 'True'),
        SetEnvironmentVariable('LITE_COLOR', ['blue', 'green']),
        GroupAction([
            SetLaunchConfiguration('value', 'inner'),
            SetEnvironmentVariable('LITE_COLOR', 'red'),
            LogInfo(msg=['scoped: ', value, ' ', color]),
        ]),
        LogInfo(msg=['after scoped: ', value, ' ', color]),
        GroupAction(
            [LogInfo(msg=['unscoped: ', value])], scoped=False,
            launch_configurations={'value': 'kept'}),
        LogInfo(msg=['after unscoped: ', value]),
        LogInfo(msg='if holds', condition=IfCondition(LaunchConfiguration('flag'))),
        LogInfo(msg='unless does not', condition=UnlessCondition(LaunchConfiguration('flag'))),
        LogInfo(msg='equals holds', condition=LaunchConfigurationEquals('value', 'kept')),
        LogInfo(msg=['not: ', NotSubstitution('false')]),
        LogInfo(msg=['and: ', AndSubstitution('true', '0'), ' or: ', OrSubstitution('true', '0')]),
        LogInfo(msg=['all: ', AllSubstitution('1', 'true'), ' any: ', AnySubstitution('0', '0')]),
        LogInfo(msg=['equal: ', EqualsSubstitution(value, 'kept'), EqualsSubstitution('1.0', 1)]),
        LogInfo(msg=['differ: ', NotEqualsSubstitution(value, 'kept')]),
        LogInfo(msg=['choice: ', IfElseSubstitution('false', 'yes', 'no')]),
        LogInfo(msg=['sum: ', PythonExpression(["len('", value, "') + floor(1.5)"])]),
        LogInfo(msg=['joined: ', PathJoinSubstitution(['a', value, 'c.yaml'])]),
        LogInfo(msg=['found: ', FindExecutable(name='sh'), TextSubstitution(text='.')]),
        OpaqueFunction(function=look_around, args=['seen'], kwargs={'mark': '!'}),
        SetEnvironmentVariable('LITE_LIST', 'one'),
        AppendEnvironmentVariable('LITE_LIST', 'two'),
        UnsetEnvironmentVariable('LITE_COLOR'),
        UnsetLaunchConfiguration('value'),
        ExecuteProcess(
            cmd=[sys.executable, '-c',
                 'import os; print(os.environ["LITE_LIST"], "LITE_COLOR" in os.environ, '
                 'os.environ["LITE_OWN"])'],
            additional_env={'LITE_OWN': 'own'}, name='environment', output='screen'),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(
                PathJoinSubstitution([ThisLaunchFileDir(), 'included.launch.py'])),
            launch_arguments={'needed': 'given'}.items()),
    ])
