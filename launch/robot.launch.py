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

"""Both policies, the executor and the inspector, for a robot whose driver runs already."""

import os
import time

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetEnvironmentVariable
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from mem_vla_ros.ros.middleware import fastdds_environment, remove_dead_segments

CONFIG = PathJoinSubstitution([FindPackageShare('mem_vla_ros'), 'config'])

ARGUMENTS = [
    DeclareLaunchArgument(
        'robot_file', description='Robot file: joints with limits, cameras, command output. '
        'Examples are in config/robots/.'),
    DeclareLaunchArgument(
        'params_file', default_value=PathJoinSubstitution([CONFIG, 'mem_vla.yaml']),
        description='Parameters of all nodes, see docs/parameters.md.'),
    DeclareLaunchArgument(
        'namespace', default_value='', description='Namespace of all nodes and topics.'),
    DeclareLaunchArgument(
        'use_sim_time', default_value='false', choices=['true', 'false'],
        description='Take time from /clock.'),
    DeclareLaunchArgument(
        'high_level', default_value='true', choices=['true', 'false'],
        description='Start the high level; without it the low level acts from the goal alone.'),
    DeclareLaunchArgument(
        'high_level_backend', default_value='scripted',
        choices=['memvla', 'openai', 'scripted', 'vlm'],
        description='What decides subtask and memory.'),
    DeclareLaunchArgument(
        'low_level_backend', default_value='scripted', choices=['memvla', 'scripted'],
        description='What makes action chunks.'),
    DeclareLaunchArgument(
        'high_level_checkpoint', default_value='',
        description='Checkpoint folder if the high level is memvla.'),
    DeclareLaunchArgument(
        'high_level_config', default_value='',
        description='YAML file if the high level is vlm or openai, see config/high_level/.'),
    DeclareLaunchArgument(
        'low_level_checkpoint', default_value='',
        description='Checkpoint folder if the low level is memvla.'),
    DeclareLaunchArgument(
        'journal', default_value='',
        description='Folder of the memory journal; empty keeps the memory in RAM only.'),
    DeclareLaunchArgument(
        'inspector', default_value='true', choices=['true', 'false'],
        description='Start the memory inspector.'),
    DeclareLaunchArgument(
        'inspector_port', default_value='8770',
        description='Port of the inspector page; the next free one if taken.'),
    DeclareLaunchArgument(
        'allow_edit', default_value='false', choices=['true', 'false'],
        description='Let the inspector page act on the robot, with a token that it prints.'),
    DeclareLaunchArgument(
        'record_to', default_value='',
        description='Folder for recordings of the inspector; empty records nothing.'),
    DeclareLaunchArgument(
        'executor', default_value='true', choices=['true', 'false'],
        description='Start the executor; without it nothing moves.'),
]


def use_shared_memory_transport(context):
    """Set the Fast DDS profile that large images need, unless the user has one."""
    # What killed processes left behind would fill the memory that images travel through.
    remove_dead_segments(time.time())
    profile = PathJoinSubstitution([CONFIG, 'fastdds.xml']).perform(context)
    return [SetEnvironmentVariable(name, value)
            for name, value in fastdds_environment(os.environ, profile).items()]


def policy_node(executable, parameters, condition=None):
    """Return a node that is started again when it dies."""
    return Node(
        package='mem_vla_ros', executable=executable, name=executable,
        namespace=LaunchConfiguration('namespace'), output='screen',
        respawn=True, respawn_delay=1.0, condition=condition,
        parameters=[
            LaunchConfiguration('params_file'),
            {'use_sim_time': LaunchConfiguration('use_sim_time'),
             'robot_file': LaunchConfiguration('robot_file')} | parameters])


def generate_launch_description():
    """Describe the launch."""
    return LaunchDescription([
        *ARGUMENTS,
        OpaqueFunction(function=use_shared_memory_transport),
        policy_node('high_level_policy', {
            'backend': LaunchConfiguration('high_level_backend'),
            'checkpoint': LaunchConfiguration('high_level_checkpoint'),
            'backend_config': LaunchConfiguration('high_level_config'),
            'journal': LaunchConfiguration('journal')},
            IfCondition(LaunchConfiguration('high_level'))),
        policy_node('low_level_policy', {
            'backend': LaunchConfiguration('low_level_backend'),
            'checkpoint': LaunchConfiguration('low_level_checkpoint'),
            'needs_subtask': LaunchConfiguration('high_level')}),
        policy_node('action_executor', {}, IfCondition(LaunchConfiguration('executor'))),
        Node(
            package='mem_vla_ros', executable='memory_inspector', name='memory_inspector',
            namespace=LaunchConfiguration('namespace'), output='screen',
            condition=IfCondition(LaunchConfiguration('inspector')),
            parameters=[
                LaunchConfiguration('params_file'),
                {'use_sim_time': LaunchConfiguration('use_sim_time'),
                 'robot_file': LaunchConfiguration('robot_file'),
                 'port': LaunchConfiguration('inspector_port'),
                 'allow_edit': LaunchConfiguration('allow_edit'),
                 'record_to': LaunchConfiguration('record_to')}]),
    ])
