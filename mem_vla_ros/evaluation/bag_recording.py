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
A recording under way: a bounded queue in front of a bag, and the thread that writes it.

Whoever offers messages never waits for the disk. When the disk is too slow, images are dropped
first, and everything that is dropped is counted.
"""

from collections import Counter, deque
from collections.abc import Callable, Mapping
from threading import Condition, Thread
import time
from typing import NamedTuple, Protocol

import cv2

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.images import decode_raw_image, ImageRejected
from mem_vla_ros.core.states import HighLevelState, StateRejected
from mem_vla_ros.evaluation.bag_messages import (
    COMPRESSED_IMAGE,
    decode,
    encode_compressed_image,
    IMAGE,
    seconds,
    STRING,
)

IMAGE_FORMS = ('raw', 'jpeg', 'png')
_FLUSH_PERIOD_S = 1.0
# What is small, such as states, may use a little more than images may.
_RESERVE = 1.25


class Writer(Protocol):
    """What a recording writes to: ``BagWriter``, or rosbag2's own writer."""

    def add_topic(self, topic: str, msgtype: str) -> None:
        """Make a topic known."""
        ...

    def write(self, topic: str, time_ns: int, data: bytes) -> None:
        """Write one serialized message."""
        ...

    def describe(self, custom: Mapping[str, str]) -> None:
        """Keep what the recording is about."""
        ...

    def flush(self) -> None:
        """Make what was written readable even if the process is killed."""
        ...

    def close(self) -> None:
        """Finish the bag."""
        ...


class _Message(NamedTuple):
    topic: str
    time_ns: int
    data: bytes


class BagRecording:
    """
    Records serialized messages in a thread of its own.

    ``written`` and ``dropped`` count messages by topic; ``failure`` says why nothing is written
    any more.

    :param make_writer: Called in the thread; opens the bag.
    :param topics: Topic -> message type.
    :param images: ``raw`` keeps images as they come, ``jpeg`` and ``png`` compress raw ones to
        ``<topic>/compressed``.
    :param max_queue_bytes: Bound of the messages that wait to be written.
    """

    def __init__(
        self, make_writer: Callable[[], Writer], topics: Mapping[str, str],
        images: str = 'raw', jpeg_quality: int = 90, max_queue_bytes: int = 256 * 2**20,
    ) -> None:
        if images not in IMAGE_FORMS:
            raise ConfigError(f'images must be one of {list(IMAGE_FORMS)}. Got {images!r}.')
        self.written: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.failure = ''
        self._make_writer = make_writer
        self._topics = dict(topics)
        self._images = images
        self._jpeg_quality = jpeg_quality
        self._max_queue_bytes = max_queue_bytes
        self._queue: deque[_Message] = deque()
        self._queued_bytes = 0
        self._described: dict[str, str] = {}
        self._changed = Condition()
        self._closing = False
        self._thread = Thread(target=self._run, name='bag writer', daemon=True)
        self._thread.start()

    @property
    def queued_bytes(self) -> int:
        """Return how much waits to be written."""
        return self._queued_bytes

    def offer(self, topic: str, time_ns: int, data: bytes) -> bool:
        """Take in one message; False if it was dropped because too much waits."""
        is_image = self._topics[topic] in (IMAGE, COMPRESSED_IMAGE)
        bound = self._max_queue_bytes * (1.0 if is_image else _RESERVE)
        with self._changed:
            if self.failure or self._closing or self._queued_bytes + len(data) > bound:
                self.dropped[topic] += 1
                return False
            self._queue.append(_Message(topic, time_ns, data))
            self._queued_bytes += len(data)
            self._changed.notify()
        return True

    def close(self) -> None:
        """Write what waits and finish the bag."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        try:
            writer = self._make_writer()
            for topic, msgtype in self._topics.items():
                writer.add_topic(*self._stored(topic, msgtype))
            self._write_all(writer)
            writer.describe({'dropped': str(sum(self.dropped.values()))})
            writer.close()
        except Exception as error:  # a full disk, a folder that exists, a lost mount
            with self._changed:
                self.failure = f'{type(error).__name__}: {error}'
                self._queue.clear()
                self._queued_bytes = 0

    def _write_all(self, writer: Writer) -> None:
        flush_at = time.monotonic() + _FLUSH_PERIOD_S
        while True:
            with self._changed:
                if not self._queue and not self._closing:
                    self._changed.wait(max(0.0, flush_at - time.monotonic()))
                message = self._queue.popleft() if self._queue else None
                if message is not None:
                    self._queued_bytes -= len(message.data)
                elif self._closing:
                    return
            if message is not None:
                self._write(writer, message)
            if time.monotonic() >= flush_at:
                writer.flush()
                flush_at = time.monotonic() + _FLUSH_PERIOD_S

    def _write(self, writer: Writer, message: _Message) -> None:
        msgtype = self._topics[message.topic]
        topic, _ = self._stored(message.topic, msgtype)
        data = message.data
        if topic != message.topic:
            try:
                data = self._compressed(data)
            except ImageRejected:
                self.dropped[message.topic] += 1
                return
        writer.write(topic, message.time_ns, data)
        self.written[message.topic] += 1
        if msgtype == STRING and message.topic.rpartition('/')[2] in ('goal', 'hl_state'):
            self._describe(writer, message)

    def _stored(self, topic: str, msgtype: str) -> tuple[str, str]:
        """Return under which topic and type a message is kept."""
        if msgtype == IMAGE and self._images != 'raw':
            return f'{topic}/compressed', COMPRESSED_IMAGE
        return topic, msgtype

    def _compressed(self, data: bytes) -> bytes:
        image = decode(data, IMAGE)
        pixels = decode_raw_image(
            image.encoding, image.height, image.width, image.step, image.data)
        options = [cv2.IMWRITE_JPEG_QUALITY, self._jpeg_quality] if self._images == 'jpeg' else []
        ending = '.jpg' if self._images == 'jpeg' else '.png'
        _, encoded = cv2.imencode(ending, cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), options)
        return encode_compressed_image(
            encoded.tobytes(), self._images, seconds(image.header.stamp), image.header.frame_id)

    def _describe(self, writer: Writer, message: _Message) -> None:
        """Note goal and episodes in the metadata when they change."""
        text = decode(message.data, STRING).data
        known = dict(self._described)
        if message.topic.endswith('goal'):
            known['goal'] = text
        else:
            try:
                state = HighLevelState.from_json(text)
            except StateRejected:
                return
            known['goal'] = state.goal or known.get('goal', '')
            episodes = known.get('episodes', '').split()
            known['episodes'] = ' '.join(
                episodes if state.episode in episodes else [*episodes, state.episode])
            known['episode'] = state.episode
        if known != self._described:
            self._described = known
            writer.describe(known)
