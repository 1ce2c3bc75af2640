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

"""Arguments of every kind, shown by `--show-args` and by the log."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, LogInfo
from launch.conditions import IfCondition
from launch.substitutions import EnvironmentVariable, LaunchConfiguration


def generate_launch_description() -> LaunchDescription:
    robot = LaunchConfiguration('robot')
    return LaunchDescription([
        DeclareLaunchArgument('robot', description='Name of the robot'),
        DeclareLaunchArgument(
            'mode', default_value='fast', choices=['fast', 'slow'],
            description='How fast it moves'),
        DeclareLaunchArgument('silent', default_value='0'),
        DeclareLaunchArgument(
            'user', default_value=['user-', EnvironmentVariable('LITE_USER', default_value='x')]),
        GroupAction(condition=IfCondition(LaunchConfiguration('silent')), actions=[
            DeclareLaunchArgument('hidden', default_value='deep'),
            LogInfo(msg='this is not said'),
        ]),
        LogInfo(msg=['robot=', robot, ' mode=', LaunchConfiguration('mode')]),
        LogInfo(msg=['user=', LaunchConfiguration('user')]),
    ])
