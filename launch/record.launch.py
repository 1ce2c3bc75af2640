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

"""Records all inputs, outputs and states of a running robot into a rosbag2 bag."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

ROBOTS = PathJoinSubstitution([FindPackageShare('mem_vla_ros'), 'config', 'robots'])

# Given to the node as parameters of the same name.
PARAMETERS = {
    'bag': ('', 'Folder to make; empty makes bags/<date>-<time>.'),
    'storage': ('mcap', 'mcap or sqlite3.'),
    'images': ('raw', 'raw keeps images as they come; jpeg and png compress raw ones.'),
    'split_size': ('0.0', 'Begin another file after so much [MB]; 0 never does.'),
    'split_duration': ('0.0', 'Begin another file after so long [s]; 0 never does.'),
    'queue_size': ('256', 'Messages that wait to be written [MB].'),
}

ARGUMENTS = [
    DeclareLaunchArgument(
        'robot_file', default_value=PathJoinSubstitution([ROBOTS, 'sim_arm.yaml']),
        description='Robot file: its cameras, joint states and command are recorded.'),
    DeclareLaunchArgument(
        'namespace', default_value='', description='Namespace of all nodes and topics.'),
    DeclareLaunchArgument(
        'use_sim_time', default_value='false', choices=['true', 'false'],
        description='Take time from /clock.'),
    *(DeclareLaunchArgument(name, default_value=default, description=description)
      for name, (default, description) in PARAMETERS.items()),
]


def generate_launch_description():
    """Describe the launch."""
    return LaunchDescription([
        *ARGUMENTS,
        Node(
            package='mem_vla_ros', executable='bag_recorder', name='bag_recorder',
            namespace=LaunchConfiguration('namespace'), output='screen',
            parameters=[{
                name: LaunchConfiguration(name)
                for name in ('robot_file', 'use_sim_time', *PARAMETERS)}]),
    ])
