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

"""Nodes with all that launch_ros passes to them; the program reports what it gets."""

from pathlib import Path
import sys

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import LifecycleNode, Node, PushRosNamespace, SetParameter, SetRemap
from launch_ros.parameter_descriptions import ParameterFile, ParameterValue

REPORT = '''
import json, sys, yaml
arguments = sys.argv[1:]
for index, argument in enumerate(arguments):
    if argument == '--params-file':
        text = open(arguments[index + 1]).read()
        content = yaml.safe_load(text.replace('!!python/tuple', ''))
        print('file', json.dumps(content, sort_keys=True))
        arguments[index + 1] = '<file>'
print('arguments', json.dumps(arguments))
'''


def report(**kwargs: object) -> Node:
    return Node(
        executable=sys.executable, arguments=['-c', REPORT, 'own'], output='screen', **kwargs)


def generate_launch_description() -> LaunchDescription:
    speed = LaunchConfiguration('speed')
    return LaunchDescription([
        DeclareLaunchArgument('speed', default_value='2.5'),
        report(exec_name='plain'),
        report(
            exec_name='full', name='arm', namespace='left', ros_arguments=['--log-level', 'warn'],
            remappings=[('chatter', ['/', 'talk']), ('/a', 'b')],
            parameters=[
                PathJoinSubstitution([ThisLaunchFileDir(), 'parameters.yaml']),
                Path(__file__).with_name('parameters.yaml'),
                {
                    'text': 'true', 'number': 3, 'ratio': 0.5, 'switch': False,
                    'speed': speed, 'speed_text': ParameterValue(speed, value_type=str),
                    'typed': ParameterValue([speed], value_type=float),
                    'names': ['a', 'b'], 'mixed': [1, 2.5], 'joined': ['at ', speed],
                    'listed': [['a', speed], ['b']],
                    'nested': {'deep': {'er': 1}},
                },
                ParameterFile(
                    PathJoinSubstitution([ThisLaunchFileDir(), 'substituted.yaml']),
                    allow_substs=True),
            ]),
        GroupAction([
            PushRosNamespace('robot'),
            PushRosNamespace('right'),
            SetParameter('use_sim_time', True),
            SetRemap('tf', '/tf'),
            report(exec_name='grouped', namespace='hand', remappings=[('x', 'y')]),
            LifecycleNode(
                executable=sys.executable, arguments=['-c', REPORT], output='screen',
                exec_name='lifecycle', name='managed', namespace='/absolute'),
        ]),
        report(exec_name='outside'),
    ])
