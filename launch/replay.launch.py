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

"""Plays a bag into the real nodes and records what they answer; nothing moves."""

from datetime import datetime
from pathlib import Path

from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
)
from launch.event_handlers import OnProcessExit
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from mem_vla_ros.core.errors import MemVlaError
from mem_vla_ros.evaluation.bag_topics import parse_remaps
from mem_vla_ros.evaluation.replay_robot import write_replay_robot

SHARE = FindPackageShare('mem_vla_ros')

# Given to the player as parameters of the same name.
PLAYER_PARAMETERS = {
    'rate': ('1.0', 'Bag seconds per second.'),
    'start': ('0.0', 'Where to begin, from the first message on [s].'),
    'duration': ('0.0', 'How much to play [s]; 0 plays to the end.'),
    'loop': ('false', 'Begin again at the end; time then jumps back.'),
    'publish_clock': ('true', 'Publish the time of the bag on /clock.'),
    'remaps': ('', 'Topics with another name in the bag: "name:=topic name:=topic".'),
}

ARGUMENTS = [
    DeclareLaunchArgument('bag', description='Bag folder, or a single .mcap or .db3 file.'),
    DeclareLaunchArgument(
        'robot_file',
        default_value=PathJoinSubstitution([SHARE, 'config', 'robots', 'sim_arm.yaml']),
        description='Robot file of the bag.'),
    DeclareLaunchArgument(
        'answers', default_value='',
        description='Bag folder for what is played and answered; empty makes '
        'bags/replay-<date>-<time>.'),
    DeclareLaunchArgument(
        'namespace', default_value='', description='Namespace of all nodes and topics.'),
    DeclareLaunchArgument(
        'inspector', default_value='false', choices=['true', 'false'],
        description='Start the memory inspector.'),
    *(DeclareLaunchArgument(name, default_value=default, description=description)
      for name, (default, description) in PLAYER_PARAMETERS.items()),
]


def replay(context):
    """Return player, policies and recorder around the bag's own kind of images."""
    bag, robot_file, answers, remaps = (
        LaunchConfiguration(name).perform(context)
        for name in ('bag', 'robot_file', 'answers', 'remaps'))
    answers = Path(answers or f'bags/replay-{datetime.now().strftime("%Y%m%d-%H%M%S")}')
    robot = answers.with_name(f'{answers.name}.robot.yaml')
    try:
        robot.parent.mkdir(parents=True, exist_ok=True)
        write_replay_robot(Path(robot_file), Path(bag), robot, parse_remaps(remaps.split()))
    except (MemVlaError, OSError) as error:
        return [LogInfo(msg=f'replay: {error}'), Shutdown(reason='the bag cannot be played')]
    player = Node(
        package='mem_vla_ros', executable='bag_player', name='bag_player',
        namespace=LaunchConfiguration('namespace'), output='screen',
        parameters=[{
            'bag': bag, 'robot_file': robot_file,
            'start_subscribers': 3,  # both policies and the recorder
            **{name: LaunchConfiguration(name) for name in PLAYER_PARAMETERS}}])
    return [
        include('robot.launch.py', robot, executor='false',
                inspector=LaunchConfiguration('inspector')),
        include('record.launch.py', robot, bag=str(answers)),
        player,
        RegisterEventHandler(OnProcessExit(
            target_action=player, on_exit=[Shutdown(reason='the bag is over')])),
    ]


def include(launch_file, robot, **arguments):
    """Return another launch file, on the time of the bag."""
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution([SHARE, 'launch', launch_file])),
        launch_arguments={
            'robot_file': str(robot), 'use_sim_time': LaunchConfiguration('publish_clock'),
            **arguments}.items())


def generate_launch_description():
    """Describe the launch."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=replay)])
