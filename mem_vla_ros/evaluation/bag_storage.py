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

"""A rosbag2 bag as a stream of serialized messages, in both storages, whole or damaged."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from mem_vla_ros.evaluation.bag_errors import BagError
from mem_vla_ros.evaluation.bag_files import BagFiles


class RawMessage(NamedTuple):
    """One message as it lies in the bag."""

    topic: str
    msgtype: str
    time_ns: int
    data: bytes


@dataclass(frozen=True)
class TopicSummary:
    """What a bag holds of one topic."""

    msgtypes: tuple[str, ...]
    count: int


class BagStorage:
    """
    Reads one bag; use it in a ``with`` statement.

    ``damage`` says what is wrong with the files; it may grow while messages are read.

    :raises BagError: if the bag cannot be opened or holds no messages.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._files = BagFiles(self.path)
        self.damage = self._files.damage
        self.custom = self._files.custom
        self.topics = self._summarise()
        if not sum(topic.count for topic in self.topics.values()):
            self.close()
            raise BagError(
                f'Bag {str(self.path)!r} holds no messages; its topics are '
                f'{sorted(self.topics)}. {" ".join(self.damage)}'.strip())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files."""
        self._files.close()

    def messages(
        self, topics: Collection[str] | None = None, start_ns: int | None = None,
        stop_ns: int | None = None,
    ) -> Iterator[RawMessage]:
        """
        Yield the messages of some topics in the order of the bag.

        Reading ends at the first bytes that make no sense, which is added to ``damage``.

        :param topics: All if None.
        :param stop_ns: First time that is left out.
        """
        for storage in self._files.storages:
            wanted = [
                connection for connection in storage.connections
                if topics is None or connection.topic in topics]
            if not wanted:
                continue
            last = None
            try:
                for connection, time_ns, data in storage.messages(wanted, start_ns, stop_ns):
                    last = time_ns
                    yield RawMessage(connection.topic, connection.msgtype, time_ns, data)
            except GeneratorExit:
                raise
            except Exception as error:  # decompressors, SQLite and struct all raise their own
                where = 'at its start' if last is None else f'after {last / 1e9:.3f} s'
                text = ' '.join(f'{type(error).__name__}: {error}'.split())
                note = f'{self.path.name}: reading stopped {where}: {text}'
                if note not in self.damage:
                    self.damage.append(note)

    def time_span_ns(self) -> tuple[int, int]:
        """Return the times of the first and the last message."""
        known = [
            storage.metadata for storage in self._files.storages if storage.metadata.message_count]
        return (
            min(item.start_time for item in known), max(item.end_time for item in known) - 1)

    def _summarise(self) -> dict[str, TopicSummary]:
        types: dict[str, set[str]] = {}
        counts: dict[str, int] = {}
        for storage in self._files.storages:
            for connection in storage.connections:
                types.setdefault(connection.topic, set()).add(connection.msgtype)
                counts[connection.topic] = counts.get(connection.topic, 0) + connection.msgcount
        return {
            topic: TopicSummary(tuple(sorted(types[topic])), counts[topic]) for topic in types}
