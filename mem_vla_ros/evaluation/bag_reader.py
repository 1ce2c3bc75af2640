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

"""A bag as a stream of plain events, by the topics of a robot file."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from mem_vla_ros.core.chunk_fields import MessageRejected
from mem_vla_ros.core.images import decode_compressed_image, decode_raw_image, ImageRejected
from mem_vla_ros.core.robot import Robot
from mem_vla_ros.evaluation.bag_events import (
    ChunkEvent,
    CommandEvent,
    Event,
    FrameEvent,
    JointEvent,
    TextEvent,
)
from mem_vla_ros.evaluation.bag_messages import (
    chunk_from_trajectory,
    COMPRESSED_IMAGE,
    decode,
    FLOAT_ARRAY,
    seconds,
)
from mem_vla_ros.evaluation.bag_storage import BagStorage, RawMessage
from mem_vla_ros.evaluation.bag_topics import CAMERA, CHUNK, COMMAND, find_topics, JOINTS

# Bag times and stamps that differ by more come from different clocks.
_SAME_CLOCK_S = 5.0
_CLOCK_SAMPLES = 200


class BagReader:
    """
    Reads the events of one bag; messages that make no sense are counted and left out.

    If the bag was recorded with another clock than the stamps (simulated time, or a robot whose
    clock is off), the time of an event is derived from the stamps, and ``notes`` says so.

    ``start`` and ``end`` are the times of the first and the last message, ``clock_offset`` is
    what was subtracted from the bag's own times [s].

    :param storage: The open bag.
    :param remaps: Name in the robot file or the topic table -> name in the bag.
    :raises BagError: if the topics are ambiguous or a remap is wrong.
    """

    def __init__(
        self, storage: BagStorage, robot: Robot, remaps: Mapping[str, str] | None = None,
    ) -> None:
        self.storage = storage
        self.robot = robot
        self.topics = find_topics(storage.topics, robot, remaps)
        self.rejected: Counter[str] = Counter()
        self.reasons: dict[str, str] = {}
        self.notes: list[str] = []
        self.clock_offset = self._find_clock_offset()
        first_ns, last_ns = storage.time_span_ns()
        self.start = first_ns / 1e9 - self.clock_offset
        self.end = last_ns / 1e9 - self.clock_offset

    def events(self, parts: Collection[str] | None = None) -> Iterator[Event]:
        """
        Yield the events of some parts in the order of the bag.

        :param parts: Of :class:`BagTopics`; all that the bag has if None.
        """
        by_topic = {
            topic: part for topic, part in self.topics.parts.items()
            if parts is None or part in parts}
        for message in self.storage.messages(by_topic):
            part = by_topic[message.topic]
            try:
                event = self._event(part, message)
            except (ImageRejected, MessageRejected) as error:
                self.reject(part, str(error))
                continue
            except Exception as error:  # the deserialiser raises whatever the bytes lead it to
                self.reject(part, f'{message.msgtype} does not decode: {error!r}')
                continue
            yield event

    def stamps(self, part: str) -> list[float]:
        """Return the header stamps of a camera or of the joint states, in the bag's order."""
        topic = self.topics.topics[part]
        return [
            seconds(decode(message.data, message.msgtype).header.stamp)
            for message in self.storage.messages([topic])]

    def reject(self, part: str, reason: str) -> None:
        """Count a message that is not used, and keep why the first of its part was not."""
        self.rejected[part] += 1
        self.reasons.setdefault(part, reason)

    def _event(self, part: str, message: RawMessage) -> Event:
        content = decode(message.data, message.msgtype)
        if hasattr(content, 'header'):
            stamp = seconds(content.header.stamp)
        else:
            stamp = message.time_ns / 1e9 - self.clock_offset
        time = message.time_ns / 1e9 - self.clock_offset
        if part.startswith(CAMERA):
            return FrameEvent(
                time, stamp, part.removeprefix(CAMERA), _image(message.msgtype, content))
        if part == JOINTS:
            return JointEvent(time, stamp, tuple(content.name), content.position)
        if part == CHUNK:
            return ChunkEvent(time, chunk_from_trajectory(content))
        if part == COMMAND:
            return _command(time, stamp, message.msgtype, content)
        return TextEvent(time, part, content.data)

    def _find_clock_offset(self) -> float:
        """Return bag time minus stamps if they come from different clocks, else 0 [s]."""
        stamped = [topic for part, topic in self.topics.topics.items()
                   if part == JOINTS or part.startswith(CAMERA)]
        if not stamped:
            return 0.0
        offsets = []
        for message in islice(self.storage.messages(stamped), _CLOCK_SAMPLES):
            try:
                stamp = seconds(decode(message.data, message.msgtype).header.stamp)
            except Exception:  # counted when the events are read
                continue
            offsets.append(message.time_ns / 1e9 - stamp)
        offset = float(np.median(offsets)) if offsets else 0.0
        if abs(offset) <= _SAME_CLOCK_S:
            return 0.0
        self.notes.append(
            f'bag times are {offset:+.1f} s off the stamps: recorded with another clock; '
            'times are taken from the stamps')
        return offset


def _image(msgtype: str, content: Any) -> np.ndarray:
    if msgtype == COMPRESSED_IMAGE:
        return decode_compressed_image(content.data)
    return decode_raw_image(
        content.encoding, content.height, content.width, content.step, content.data)


def _command(time: float, stamp: float, msgtype: str, content: Any) -> CommandEvent:
    if msgtype == FLOAT_ARRAY:
        return CommandEvent(time, stamp, (), np.asarray(content.data, dtype=np.float64))
    if not content.points:
        raise MessageRejected('A command needs at least one point. Got none.')
    first = content.points[0]
    return CommandEvent(
        time, stamp + seconds(first.time_from_start), tuple(content.joint_names),
        np.asarray(first.positions, dtype=np.float64))
