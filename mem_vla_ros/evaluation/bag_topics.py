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

"""
Which topic of a bag plays which part, and what that leaves to evaluate.

Topics come from the robot file and the table in docs/architecture.md. A bag may hold them under
a namespace, under other names (remaps), and images compressed instead of raw.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.robot import Robot
from mem_vla_ros.evaluation.bag_errors import BagError
from mem_vla_ros.evaluation.bag_messages import (
    COMPRESSED_IMAGE,
    FLOAT_ARRAY,
    IMAGE,
    JOINT_STATE,
    STRING,
    TRAJECTORY,
)
from mem_vla_ros.evaluation.bag_storage import TopicSummary

CAMERA = 'camera:'
JOINTS = 'joint_states'
COMMAND = 'command'
CHUNK = 'action_chunk'
TEXTS = ('goal', 'subtask', 'memory', 'hl_state', 'll_state', 'annotation', 'oracle')


@dataclass(frozen=True)
class BagTopics:
    """
    Parts that a bag can play.

    :param topics: Part -> topic in the bag. Parts are ``camera:<name>``, ``joint_states``,
        ``command``, ``action_chunk`` and those of ``TEXTS``.
    :param missing: Part -> why the bag does not have it.
    """

    topics: Mapping[str, str]
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def parts(self) -> dict[str, str]:
        """Return topic -> part."""
        return {topic: part for part, topic in self.topics.items()}

    @property
    def missing_inputs(self) -> list[str]:
        """Return why policies cannot be run on the bag; empty if they can."""
        return [why for part, why in self.missing.items()
                if part == JOINTS or part.startswith(CAMERA)]


def parse_remaps(items: Iterable[str]) -> dict[str, str]:
    """
    Return name -> other name from texts like ``name:=other``.

    :raises ConfigError: if one is not written like that.
    """
    items = list(items)
    pairs = [item.partition(':=') for item in items]
    if not all(name and other for name, _, other in pairs):
        raise ConfigError(f'Remaps must be written name:=other. Got {items}.')
    return {name: other for name, _, other in pairs}


def find_topics(
    available: Mapping[str, TopicSummary], robot: Robot, remaps: Mapping[str, str] | None = None,
) -> BagTopics:
    """
    Return which topic plays which part.

    :param remaps: Name in the robot file or the topic table -> name in the bag.
    :raises BagError: if a remap names a topic that is not in the bag, or if two topics in
        different namespaces could play the same part.
    """
    remaps = dict(remaps or {})
    wanted = _wanted(robot)
    unknown = [name for name in remaps if name not in {item[0] for item in wanted.values()}]
    absent = [name for name in remaps.values() if name not in available]
    if unknown or absent:
        raise BagError(
            f'Remaps: {unknown} are no topics of this robot, {absent} are not in the bag. '
            f'Robot: {sorted(item[0] for item in wanted.values())}. Bag: {sorted(available)}.')
    topics, missing = {}, {}
    for part, (name, types) in wanted.items():
        topic = remaps.get(name) or _find(name, available, part)
        if topic is None:
            missing[part] = f'no topic {name!r}'
        elif available[topic].msgtypes[0] not in types or len(available[topic].msgtypes) > 1:
            missing[part] = (
                f'topic {topic!r} has type {" and ".join(available[topic].msgtypes)}, '
                f'expected {" or ".join(types)}')
        elif not available[topic].count:
            missing[part] = f'topic {topic!r} has no messages'
        else:
            topics[part] = topic
    return BagTopics(topics, missing)


def _wanted(robot: Robot) -> dict[str, tuple[str, tuple[str, ...]]]:
    wanted: dict[str, tuple[str, tuple[str, ...]]] = {
        f'{CAMERA}{camera.name}': (camera.topic, (IMAGE, COMPRESSED_IMAGE))
        for camera in robot.cameras}
    wanted[JOINTS] = (robot.joint_states_topic, (JOINT_STATE,))
    wanted[COMMAND] = (
        robot.command_topic,
        (FLOAT_ARRAY,) if robot.command_type == 'forward' else (TRAJECTORY,))
    wanted[CHUNK] = ('action_chunk', (TRAJECTORY,))
    return wanted | {name: (name, (STRING,)) for name in TEXTS}


def _find(name: str, available: Mapping[str, TopicSummary], part: str) -> str | None:
    names = [name]
    if part.startswith(CAMERA):
        names += [f'{name}/compressed', name.removesuffix('/compressed')]
    for candidate in names:
        exact = '/' + candidate.lstrip('/')
        if exact in available:
            return exact
        ending = [topic for topic in available if topic.endswith(exact)]
        if len(ending) > 1:
            raise BagError(
                f'Several topics of the bag end in {exact!r}: {sorted(ending)}. '
                f'Choose one by a remap, such as --remap {name}:={sorted(ending)[0]}.')
        if ending:
            return ending[0]
    return None
