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
Episodes with subtask annotations in, training records out, both as JSON Lines.

docs/memory.md shows the two formats.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
import json
import os
from pathlib import Path
from typing import Any

from mem_vla_ros.core.errors import ConfigError, TextRejected
from mem_vla_ros.core.text import clean_line, MAX_GOAL_CHARS, MAX_SUBTASK_CHARS

OUTCOMES = ('success', 'failure')


@dataclass(frozen=True)
class AnnotatedSubtask:
    """
    One subtask of an episode.

    :param outcome: ``success`` or ``failure``.
    :param start: When it began [s].
    :param end: When it ended [s].
    """

    text: str
    outcome: str = 'success'
    start: float = 0.0
    end: float = 0.0

    @property
    def succeeded(self) -> bool:
        """Return whether it did what it should."""
        return self.outcome == 'success'


@dataclass(frozen=True)
class AnnotatedEpisode:
    """One episode: its goal and its subtasks in order."""

    episode: str
    goal: str
    subtasks: tuple[AnnotatedSubtask, ...]


@dataclass(frozen=True)
class LabelRecord:
    """
    One training record: from ``memory``, write ``subtask`` and ``next_memory``.

    The switch happens at ``start``; from there to ``end`` the policy does the subtask, and its
    memory stays ``next_memory``. The last record of an episode has the subtask ``done``.

    :param source: Who wrote ``next_memory``: ``llm``, ``rules`` or ``kept`` (after a failure).
    """

    episode: str
    index: int
    goal: str
    memory: str
    subtask: str
    next_memory: str
    start: float
    end: float
    source: str

    def to_json(self) -> str:
        """Return one line of JSON without its newline."""
        return json.dumps(asdict(self), ensure_ascii=False)


def read_episodes(path: Path) -> list[AnnotatedEpisode]:
    """
    Read episodes from a JSON Lines file.

    :raises ConfigError: naming the line and what is wrong with it.
    """
    try:
        text = path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f'Annotations {path} cannot be read: {error}') from error
    return [parse_episode(line, f'{path.name}, line {number}')
            for number, line in enumerate(text.split('\n'), 1) if line.strip()]


def parse_episode(line: str, where: str) -> AnnotatedEpisode:
    """
    Read one line of JSON.

    :param where: For the error message.
    :raises ConfigError: if it is not an episode.
    """
    try:
        document = json.loads(line)
        return AnnotatedEpisode(
            episode=clean_line(document['episode'], 'episode', 200),
            goal=clean_line(document['goal'], 'goal', MAX_GOAL_CHARS),
            subtasks=tuple(_parse_subtasks(document['subtasks'])))
    except KeyError as error:
        raise ConfigError(f'{where}: key {error} is missing.') from error
    except (ValueError, TypeError, AttributeError, TextRejected) as error:
        raise ConfigError(f'{where}: not an annotated episode: {error}') from error


def format_episode(episode: AnnotatedEpisode) -> str:
    """Return one line of JSON without its newline."""
    return json.dumps(asdict(episode), ensure_ascii=False)


def write_records(path: Path, records: Iterable[LabelRecord]) -> None:
    """Write training records; the file appears whole or not at all."""
    part = path.with_name(f'{path.name}.part')
    with part.open('w', encoding='utf-8') as file:
        for record in records:
            file.write(f'{record.to_json()}\n')
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _parse_subtasks(items: list[dict[str, Any]]) -> Iterator[AnnotatedSubtask]:
    last_end = float('-inf')
    for index, item in enumerate(items):
        subtask = AnnotatedSubtask(
            text=clean_line(item['text'], f'subtask {index}', MAX_SUBTASK_CHARS),
            outcome=item.get('outcome', 'success'),
            start=float(item.get('start', 0.0)), end=float(item.get('end', 0.0)))
        # CHECK: the outcome is known
        if subtask.outcome not in OUTCOMES:
            raise ValueError(
                f'subtask {index}: outcome must be one of {list(OUTCOMES)}. '
                f'Got {subtask.outcome!r}.')
        # CHECK: times do not run back
        if not subtask.start <= subtask.end or ('start' in item and subtask.start < last_end):
            raise ValueError(
                f'subtask {index}: times must not run back. '
                f'Got {subtask.start} to {subtask.end} after {last_end}.')
        last_end = subtask.end
        yield subtask
