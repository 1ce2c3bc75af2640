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

"""A bag from a training episode: what a recorder would have written."""

import json
from pathlib import Path

from mem_vla_ros.core.robot import Robot
from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.evaluation import bag_messages
from mem_vla_ros.evaluation.bag_writer import BagWriter
from mem_vla_ros.training.episode import Episode


def write_bag_of_episode(
    episode: Episode, path: Path, robot: Robot, storage: str = 'mcap',
) -> None:
    """
    Write cameras, joint states, goal, subtasks, memories and commands of an episode.

    Subtasks are there twice: as the texts that a policy would have published, and as
    annotations.

    :raises BagError: if the bag exists.
    """
    messages: list[tuple[float, str, str, bytes]] = [
        (float(episode.times[0]), '/goal', bag_messages.STRING,
         bag_messages.encode_string(episode.goal))]
    for part, texts in (('subtask', episode.subtasks), ('memory', episode.memories)):
        messages += _text_messages(part, texts, episode)
    dt = float(episode.times[1] - episode.times[0])
    for step, time in enumerate(episode.times.tolist()):
        messages.append((
            time, _absolute(robot.joint_states_topic), bag_messages.JOINT_STATE,
            bag_messages.encode_joint_state(robot.joint_names, episode.joints[step], time)))
        messages.append((
            time + dt, '/joint_command' if robot.command_type == 'forward' else _absolute(
                robot.command_topic), bag_messages.TRAJECTORY,
            bag_messages.encode_chunk(ActionChunk(
                robot.joint_names, time + dt, dt, episode.actions[step:step + 1]))))
        for camera in robot.cameras:
            if camera.name in episode.images:
                messages.append((
                    time, _absolute(camera.topic.removesuffix('/compressed')),
                    bag_messages.IMAGE, bag_messages.encode_image(
                        episode.images[camera.name][step], time, camera.name)))
    messages.sort(key=lambda item: item[0])
    with BagWriter(path, storage) as writer:
        for topic, msgtype in {item[1]: item[2] for item in messages}.items():
            writer.add_topic(topic, msgtype)
        for time, topic, _, data in messages:
            writer.write(topic, round(time * 1e9), data)
        writer.describe({'goal': episode.goal, 'task': episode.task})


def _text_messages(
    part: str, texts: object, episode: Episode,
) -> list[tuple[float, str, str, bytes]]:
    messages, last = [], ''
    for time, text in zip(episode.times.tolist(), list(texts), strict=True):  # type: ignore[call-overload]
        if text != last:
            messages.append((time, f'/{part}', bag_messages.STRING,
                             bag_messages.encode_string(text)))
            if part == 'subtask':
                annotation = json.dumps({'type': 'subtask', 'start': time, 'text': text})
                messages.append((time, '/annotation', bag_messages.STRING,
                                 bag_messages.encode_string(annotation)))
        last = text
    return messages


def _absolute(topic: str) -> str:
    return '/' + topic.lstrip('/')
