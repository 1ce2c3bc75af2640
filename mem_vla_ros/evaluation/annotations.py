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
What should have happened in a bag: subtasks with their outcome, and facts worth remembering.

Annotations are JSON objects, one per line of a file beside the bag or one per message on the
topic ``annotation``; docs/evaluation.md describes them. Times are sensor time in seconds, or
seconds since the bag's first message if a header line says so.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

from mem_vla_ros.core.errors import MemVlaError

FILE_NAME = 'annotations.jsonl'
OUTCOMES = ('success', 'failure')


class AnnotationRejected(MemVlaError):  # noqa: N818
    """An annotation is not as documented."""


class Line(NamedTuple):
    """
    One annotation as text.

    :param where: File and line, or topic and time, for messages.
    :param time: When it was published [s]; NaN for a file.
    """

    text: str
    where: str
    time: float = math.nan


@dataclass(frozen=True)
class SubtaskSpan:
    """A subtask that was done from ``start`` to ``end`` [s]."""

    start: float
    end: float
    text: str
    outcome: str = 'success'


@dataclass(frozen=True)
class Fact:
    """
    Something that a memory may say.

    :param match: Phrases; a memory that contains one of them says it.
    :param known_from: From when on it is true and should be kept [s]; infinite if never true.
    :param until: From when on it may be dropped [s].
    """

    name: str
    match: tuple[str, ...]
    known_from: float
    until: float


@dataclass(frozen=True)
class Annotations:
    """All annotations of a bag or of one of its episodes."""

    subtasks: tuple[SubtaskSpan, ...] = ()
    facts: tuple[Fact, ...] = field(default=())

    def __bool__(self) -> bool:
        return bool(self.subtasks or self.facts)

    def between(self, start: float, end: float) -> 'Annotations':
        """Return the annotations of one episode, cut to it."""
        return Annotations(
            tuple(replace(span, start=max(span.start, start), end=min(span.end, end))
                  for span in self.subtasks if span.start < end and span.end > start),
            tuple(fact for fact in self.facts if fact.until > start and (
                fact.known_from < end or math.isinf(fact.known_from))))


def annotation_file(bag: Path) -> Path | None:
    """Return the annotation file beside a bag, or None."""
    for path in (bag / FILE_NAME, bag.with_name(f'{bag.name}.{FILE_NAME}')):
        if path.is_file():
            return path
    return None


def read_lines(path: Path) -> list[Line]:
    """
    Return the lines of an annotation file.

    :raises AnnotationRejected: if it cannot be read.
    """
    try:
        text = path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise AnnotationRejected(f'Annotation file {str(path)!r}: {error}') from error
    return [Line(line, f'{path.name}, line {number}')
            for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def parse_annotations(lines: Iterable[Line], bag_start: float, bag_end: float) -> Annotations:
    """
    Return the annotations in some lines.

    :param bag_start: Time of the bag's first message [s]; relative times count from here.
    :param bag_end: Where the last subtask ends if it does not say so [s].
    :raises AnnotationRejected: naming the line and what is wrong with it.
    """
    subtasks: list[SubtaskSpan] = []
    facts: list[Fact] = []
    offset = 0.0
    for line in lines:
        document = _document(line)
        kind = document.get('type')
        if kind == 'header':
            offset = bag_start if document.get('time') == 'relative' else 0.0
        elif kind == 'subtask':
            subtasks.append(_subtask(document, line, offset))
        elif kind == 'fact':
            facts.append(_fact(document, line, offset))
        else:
            raise AnnotationRejected(
                f"{line.where}: 'type' must be 'header', 'subtask' or 'fact'. Got {kind!r}.")
    return Annotations(_close_spans(subtasks, bag_end), tuple(facts))


def _document(line: Line) -> dict[str, Any]:
    try:
        document = json.loads(line.text)
    except ValueError as error:
        raise AnnotationRejected(f'{line.where}: not JSON: {error}') from error
    if not isinstance(document, dict):
        raise AnnotationRejected(f'{line.where}: must be a JSON object. Got {line.text[:40]!r}.')
    return document


def _subtask(document: dict[str, Any], line: Line, offset: float) -> SubtaskSpan:
    start = _time(document, 'start', line, line.time, offset)
    end = _time(document, 'end', line, math.inf, offset)
    outcome = document.get('outcome', 'success')
    text = document.get('text')
    if not isinstance(text, str) or not text.strip():
        raise AnnotationRejected(f"{line.where}: 'text' must name the subtask. Got {text!r}.")
    if outcome not in OUTCOMES:
        raise AnnotationRejected(
            f"{line.where}: 'outcome' must be one of {list(OUTCOMES)}. Got {outcome!r}.")
    if not start < end:
        raise AnnotationRejected(
            f"{line.where}: 'start' must be before 'end'. Got {start} and {end}.")
    return SubtaskSpan(start, end, text.strip(), outcome)


def _fact(document: dict[str, Any], line: Line, offset: float) -> Fact:
    match = document.get('match')
    if not isinstance(match, list) or not match or not all(
            isinstance(phrase, str) and phrase.strip() for phrase in match):
        raise AnnotationRejected(
            f"{line.where}: 'match' must be a list of phrases. Got {match!r}.")
    if 'from' in document and document['from'] is None:
        known_from = math.inf
    else:
        known_from = _time(document, 'from', line, line.time, offset)
    until = _time(document, 'until', line, math.inf, offset)
    if not math.isinf(known_from) and not known_from < until:
        raise AnnotationRejected(
            f"{line.where}: 'from' must be before 'until'. Got {known_from} and {until}.")
    return Fact(str(document.get('name', match[0])), tuple(match), known_from, until)


def _time(
    document: dict[str, Any], key: str, line: Line, default: float, offset: float,
) -> float:
    value = document.get(key)
    if value is None and not math.isnan(default):
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise AnnotationRejected(f'{line.where}: {key!r} must be a time in s. Got {value!r}.')
    return float(value) + offset


def _close_spans(spans: list[SubtaskSpan], bag_end: float) -> tuple[SubtaskSpan, ...]:
    """Return the spans in order; one without an end lasts until the next begins."""
    spans = sorted(spans, key=lambda span: span.start)
    ends = ([span.start for span in spans] + [bag_end])[1:]
    closed = [
        replace(span, end=end) if math.isinf(span.end) else span
        for span, end in zip(spans, ends, strict=True)]
    return tuple(span for span in closed if span.start < span.end)
