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

"""The whole stack around a simulated robot, until the task ends."""

from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    RegisterEventHandler,
    Shutdown,
)
from launch.event_handlers import OnProcessExit
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

SHARE = FindPackageShare('mem_vla_ros')

ARGUMENTS = [
    DeclareLaunchArgument(
        'task', default_value='find_object', description='Task; memvla tasks lists them.'),
    DeclareLaunchArgument('seed', default_value='0', description='Seed of the episode.'),
    DeclareLaunchArgument(
        'image_size', default_value='128', description='Side of the camera images [px].'),
    DeclareLaunchArgument(
        'slip', default_value='0.0', description='Share of the grasps that slip.'),
    DeclareLaunchArgument(
        'real_time_factor', default_value='1.0',
        description='Simulated seconds per second, as far as the machine can.'),
    DeclareLaunchArgument(
        'start_subscribers', default_value='2',
        description='Time starts when each camera has so many subscribers: both policies, or '
        'one if high_level is false.'),
    DeclareLaunchArgument(
        'start_timeout', default_value='60.0',
        description='Time starts without them after this long [s].'),
    DeclareLaunchArgument(
        'exit_when_done', default_value='true', choices=['true', 'false'],
        description='End everything when the task is over.'),
    DeclareLaunchArgument(
        'result_file', default_value='', description='Write the final score there as JSON.'),
]


def generate_launch_description():
    """Describe the launch."""
    world = Node(
        package='mem_vla_ros', executable='sim_world', name='sim_world',
        namespace=LaunchConfiguration('namespace', default=''), output='screen',
        parameters=[{
            'task': LaunchConfiguration('task'),
            'seed': LaunchConfiguration('seed'),
            'image_size': LaunchConfiguration('image_size'),
            'slip': LaunchConfiguration('slip'),
            'real_time_factor': LaunchConfiguration('real_time_factor'),
            'start_subscribers': LaunchConfiguration('start_subscribers'),
            'start_timeout': LaunchConfiguration('start_timeout'),
            'exit_when_done': LaunchConfiguration('exit_when_done'),
            'result_file': LaunchConfiguration('result_file'),
        }])
    return LaunchDescription([
        *ARGUMENTS,
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(
                PathJoinSubstitution([SHARE, 'launch', 'robot.launch.py'])),
            launch_arguments={
                'robot_file': PathJoinSubstitution([SHARE, 'config', 'robots', 'sim_arm.yaml']),
                'use_sim_time': 'true',
            }.items()),
        world,
        RegisterEventHandler(OnProcessExit(
            target_action=world, on_exit=[Shutdown(reason='the task is over')])),
    ])
