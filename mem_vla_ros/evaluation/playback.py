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

"""When to play which message of a bag: rate, start, duration and loops, without a clock."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
import math
from typing import NamedTuple

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.evaluation.bag_reader import BagReader


class Play(NamedTuple):
    """
    One message to publish.

    :param wait: Time since playing began, on the player's steady clock [s].
    :param time: Time in the bag, on the clock of its stamps [s].
    :param part: Which part it plays, see ``BagTopics``.
    """

    wait: float
    time: float
    part: str
    data: bytes


@dataclass(frozen=True)
class Playback:
    """
    How a bag is played.

    :param rate: Bag seconds per second.
    :param start_s: Where to begin, from the bag's first message on [s].
    :param duration_s: How much to play [s]; 0 plays to the end.
    :param loop: Begin again at the end, for ever; time then jumps back.
    """

    rate: float = 1.0
    start_s: float = 0.0
    duration_s: float = 0.0
    loop: bool = False

    def __post_init__(self) -> None:
        # CHECK: time moves forward
        if self.rate <= 0.0 or self.start_s < 0.0 or self.duration_s < 0.0:
            raise ConfigError(
                'rate must be above 0, start and duration at least 0. '
                f'Got {self.rate}, {self.start_s}, {self.duration_s}.')

    def plays(self, reader: BagReader, parts: Mapping[str, str]) -> Iterator[Play]:
        """
        Yield what to publish, in order; without end if it loops.

        Texts that were published before ``start_s`` come first, as a latched topic would.

        :param parts: Part -> topic in the bag.
        :raises ConfigError: if there is nothing to play.
        """
        begin = reader.start + self.start_s
        end = begin + self.duration_s if self.duration_s else math.inf
        wait = 0.0
        while True:
            count = 0
            for play in self._once(reader, parts, begin, end):
                count += 1
                yield play._replace(wait=wait + play.wait)
            if not count:
                raise ConfigError(
                    f'Nothing to play: the bag lasts {reader.end - reader.start:.3f} s, start '
                    f'is {self.start_s} s. Topics: {sorted(parts.values())}.')
            if not self.loop:
                return
            wait += (min(end, reader.end) - begin) / self.rate

    def _once(
        self, reader: BagReader, parts: Mapping[str, str], begin: float, end: float,
    ) -> Iterator[Play]:
        by_topic = {topic: part for part, topic in parts.items()}
        latched: dict[str, bytes] = {}
        for message in reader.storage.messages(by_topic):
            part = by_topic[message.topic]
            time = message.time_ns / 1e9 - reader.clock_offset
            if time < begin:
                if part == 'goal':
                    latched[part] = message.data
                continue
            for early, data in latched.items():
                yield Play(0.0, begin, early, data)
            latched = {}
            if time > end:
                return
            yield Play((time - begin) / self.rate, time, part, message.data)
