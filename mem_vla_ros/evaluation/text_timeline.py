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

"""A text that changes now and then, such as the subtask or the memory, over time."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mem_vla_ros.core.states import HighLevelState


class TextSpan(NamedTuple):
    """One text from ``start`` to ``end`` [s]."""

    start: float
    end: float
    text: str


class TextTimeline:
    """
    Spans without gaps, from the first change to the end of the episode.

    :param changes: Time and text, in the order of time; a text that stays is no change.
    """

    def __init__(self, changes: Iterable[tuple[float, str]], end: float) -> None:
        kept: list[tuple[float, str]] = []
        for time, text in changes:
            if not kept or text != kept[-1][1]:
                kept.append((time, text))
        ends = ([time for time, _ in kept] + [end])[1:]
        self.spans = tuple(
            TextSpan(start, stop, text)
            for (start, text), stop in zip(kept, ends, strict=True) if start < stop)

    def between(self, start: float, end: float) -> Iterator[TextSpan]:
        """Yield the spans within a time, cut to it."""
        for span in self.spans:
            if span.start < end and span.end > start:
                yield TextSpan(max(span.start, start), min(span.end, end), span.text)


def subtask_timeline(states: Iterable[HighLevelState], end: float) -> TextTimeline:
    """Return the subtasks of a run; each counts from the moment it was published."""
    return TextTimeline(
        ((state.stamp + state.latency_s, plain(state.subtask)) for state in states), end)


def memory_timeline(states: Iterable[HighLevelState], end: float) -> TextTimeline:
    """Return the memories of a run; each counts from the moment it was published."""
    return TextTimeline(
        ((state.stamp + state.latency_s, plain(state.memory)) for state in states), end)


def plain(text: str) -> str:
    """Return the text as it is compared: lower case, single spaces, no punctuation at ends."""
    return ' '.join(text.casefold().split()).strip(' .,;:!')
