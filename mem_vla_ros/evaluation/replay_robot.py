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

"""The robot file of a replay: the robot's own, with the image transport that the bag has."""

from collections.abc import Mapping
from pathlib import Path

import yaml

from mem_vla_ros.core.robot import load_robot, Robot
from mem_vla_ros.evaluation.bag_messages import COMPRESSED_IMAGE
from mem_vla_ros.evaluation.bag_storage import BagStorage
from mem_vla_ros.evaluation.bag_topics import CAMERA, find_topics


def play_topics(
    robot: Robot, topics: Mapping[str, str], types: Mapping[str, str],
) -> dict[str, str]:
    """
    Return part -> topic that a player publishes on.

    Images that are compressed only in the bag go to ``<topic>/compressed``.

    :param topics: Part -> topic in the bag.
    :param types: Topic in the bag -> message type.
    """
    names = {'joint_states': robot.joint_states_topic, 'goal': 'goal', 'oracle': 'oracle'}
    for camera in robot.cameras:
        part = f'{CAMERA}{camera.name}'
        compressed = part in topics and types[topics[part]] == COMPRESSED_IMAGE
        plain = camera.topic.removesuffix('/compressed')
        names[part] = f'{plain}/compressed' if compressed else plain
    return {part: name for part, name in names.items() if part in topics}


def write_replay_robot(
    robot_file: Path, bag: Path, target: Path, remaps: Mapping[str, str] | None = None,
) -> None:
    """
    Write the robot file under which nodes hear what a player plays from a bag.

    :raises MemVlaError: if robot file or bag are refused.
    """
    robot = load_robot(robot_file)
    with BagStorage(bag) as storage:
        topics = find_topics(storage.topics, robot, remaps).topics
        types = {name: topic.msgtypes[0] for name, topic in storage.topics.items()}
    played = play_topics(robot, topics, types)
    document = yaml.safe_load(robot_file.read_text(encoding='utf-8'))
    for name in robot.camera_names:
        part = f'{CAMERA}{name}'
        if part in played:
            compressed = types[topics[part]] == COMPRESSED_IMAGE
            document['cameras'][name] = {
                'topic': played[part], 'transport': 'compressed' if compressed else 'raw'}
    target.write_text(yaml.safe_dump(document, sort_keys=False), encoding='utf-8')
