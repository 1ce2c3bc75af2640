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

"""What a bag recorded besides images: answers, commands, joints and annotations, by episode."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from mem_vla_ros.core.states import HighLevelState, LowLevelState, StateRejected
from mem_vla_ros.core.types import FloatArray
from mem_vla_ros.evaluation.annotations import (
    annotation_file,
    Annotations,
    Line,
    parse_annotations,
    read_lines,
)
from mem_vla_ros.evaluation.bag_errors import BagError
from mem_vla_ros.evaluation.bag_events import (
    ChunkEvent,
    CommandEvent,
    Event,
    JointEvent,
    TextEvent,
)
from mem_vla_ros.evaluation.bag_reader import BagReader
from mem_vla_ros.evaluation.bag_topics import CAMERA
from mem_vla_ros.evaluation.reference import Reference
from mem_vla_ros.evaluation.run_trace import ChunkAnswer, RunTrace
from mem_vla_ros.execution.fault import Fault
from mem_vla_ros.execution.joint_mapping import map_joints

_CLOCK_JUMP_S = 0.5


@dataclass(frozen=True)
class RecordedEpisode:
    """
    One episode of a bag.

    :param references: ``command`` and ``joint_states``, as far as they were recorded.
    :param texts: Recorded goals and subtasks, for policies that are replayed.
    """

    trace: RunTrace
    references: dict[str, Reference]
    texts: tuple[TextEvent, ...]
    annotations: Annotations

    @property
    def goal(self) -> str:
        """Return the last goal of the episode; empty if none was recorded."""
        goals = [event.text for event in self.texts if event.part == 'goal']
        return goals[-1] if goals else ''


@dataclass
class _Samples:
    """Positions of one source, growing."""

    times: list[float] = field(default_factory=list)
    positions: list[FloatArray] = field(default_factory=list)


class _Collector:
    """Gathers the events of one episode."""

    def __init__(self, reader: BagReader, start: float, texts: Iterable[TextEvent]) -> None:
        self.trace = RunTrace('recorded', start, start)
        self.episode = ''
        self.texts = list(texts)
        self.annotation_lines: list[Line] = []
        self._reader = reader
        self._samples = {'command': _Samples(), 'joint_states': _Samples()}

    def add(self, event: Event) -> None:
        self.trace.end = max(self.trace.end, event.time)
        if isinstance(event, JointEvent):
            self._add_sample('joint_states', event)
        elif isinstance(event, CommandEvent):
            self._add_sample('command', event)
        elif isinstance(event, ChunkEvent):
            self.trace.chunks.append(ChunkAnswer(event.time, event.chunk))
        elif isinstance(event, TextEvent):
            self._add_text(event)

    def add_state(self, state: HighLevelState) -> None:
        self.trace.high_level.append(state)
        self.episode = state.episode

    def references(self) -> dict[str, Reference]:
        found = {
            source: Reference.of(source, samples.times, samples.positions)
            for source, samples in self._samples.items()}
        return {source: item for source, item in found.items() if item is not None}

    def _add_sample(self, source: str, event: JointEvent | CommandEvent) -> None:
        wanted = self._reader.robot.joint_names
        positions = map_joints(wanted, event.names or wanted, event.positions)
        if isinstance(positions, Fault):
            self._reader.reject(source, positions.detail)
            return
        self._samples[source].times.append(event.stamp)
        self._samples[source].positions.append(positions)

    def _add_text(self, event: TextEvent) -> None:
        if event.part in ('goal', 'subtask'):
            self.texts.append(event)
        elif event.part == 'annotation':
            self.annotation_lines.append(
                Line(event.text, f'topic annotation at {event.time:.3f} s', event.time))


def read_episodes(reader: BagReader) -> list[RecordedEpisode]:
    """
    Return the episodes of a bag, in order; images are not read.

    A new episode begins when ``hl_state`` carries another episode id, or when time jumps back.

    :raises BagError: if the bag has no joint states, commands or chunks to go by.
    :raises AnnotationRejected: if an annotation is not as documented.
    """
    parts = [part for part in reader.topics.topics
             if not part.startswith(CAMERA) and part != 'oracle']
    collectors = [_Collector(reader, reader.start, ())]
    for event in reader.events(parts):
        if event.time < collectors[-1].trace.end - _CLOCK_JUMP_S:
            collectors.append(_Collector(reader, event.time, ()))
        if isinstance(event, TextEvent) and event.part in ('hl_state', 'll_state'):
            _add_state(reader, collectors, event)
        else:
            collectors[-1].add(event)
    if not any(item.references() or item.trace.chunks for item in collectors):
        raise BagError(
            f'Bag {str(reader.storage.path)!r} has nothing to evaluate: no usable joint states, '
            f'commands or chunks. {_why_unusable(reader)}. '
            f'Topics in the bag: {sorted(reader.storage.topics)}.')
    return _with_annotations(reader, collectors)


def _add_state(reader: BagReader, collectors: list[_Collector], event: TextEvent) -> None:
    try:
        if event.part == 'll_state':
            collectors[-1].trace.low_level.append(LowLevelState.from_json(event.text))
            return
        state = HighLevelState.from_json(event.text)
    except StateRejected as error:
        reader.reject(event.part, str(error))
        return
    current = collectors[-1]
    if current.episode and state.episode != current.episode:
        goals = [item for item in current.texts if item.part == 'goal'][-1:]
        collectors.append(_Collector(
            reader, event.time, [replace(goal, time=event.time) for goal in goals]))
    collectors[-1].add(event)
    collectors[-1].add_state(state)


def _with_annotations(
    reader: BagReader, collectors: list[_Collector],
) -> list[RecordedEpisode]:
    lines = [line for item in collectors for line in item.annotation_lines]
    file = annotation_file(reader.storage.path)
    if file is not None:
        lines += read_lines(file)
    annotations = parse_annotations(lines, reader.start, reader.end)
    return [
        RecordedEpisode(
            item.trace, item.references(), tuple(item.texts),
            annotations.between(item.trace.start, item.trace.end))
        for item in collectors if item.references() or item.trace.chunks]


def _why_unusable(reader: BagReader) -> str:
    reasons = [f'{part}: {why}' for part, why in reader.reasons.items()]
    return '; '.join([*reasons, *reader.topics.missing.values()])
