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
Everything that the inspector shows, in bounded memory.

Plain method calls feed it, each with the time ``now`` on the clock of the stamps (sensor time,
which may be simulated). The terminal view, the web page and the exports read it, from any
thread, and nothing else; a recording on disk is the list of these calls.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
import math
import threading
from typing import Any, Protocol

from mem_vla_ros.core.states import HighLevelState, LowLevelState
from mem_vla_ros.core.text import escape_unsafe
from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.inspector.deliveries import Deliveries, Delivery
from mem_vla_ros.inspector.frame_store import FrameStore, Picture
from mem_vla_ros.inspector.track import Track
from mem_vla_ros.inspector.word_changes import word_changes

FRAME_BUDGET_BYTES = 128_000_000
JOINT_INTERVAL_S = 0.04
SNAPSHOT_INTERVAL_S = 1.0
MAX_MARKS = 20_000
MAX_TEXT_CHARS = 4000
MAX_DIAGNOSTICS = 64
LEVELS = ('ok', 'warn', 'error', 'stale')
#: A clock that steps back, or forward by more than any silence, was set or belongs to a new run.
CLOCK_BACK_S = 0.5
CLOCK_AHEAD_S = 3600.0

Row = tuple[float, ...]


@dataclass(frozen=True)
class Mark:
    """Something that happened at one moment, such as a new subtask; never thinned out."""

    number: int
    time: float
    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Diagnostic:
    """One status of ``/diagnostics``; the level is one of ``LEVELS``."""

    name: str
    level: str
    text: str


class EventSink(Protocol):
    """Where the recorder repeats what it was told, such as a file."""

    def write(self, kind: str, event: Mapping[str, Any], picture: Picture | None = None) -> None:
        """Append one event."""
        ...


class Recorder:
    """What the robot remembered, saw and did, over hours."""

    def __init__(
        self, sink: EventSink | None = None, frame_budget_bytes: int = FRAME_BUDGET_BYTES,
    ) -> None:
        self.lock = threading.RLock()
        self.marks: Track[Mark] = Track(MAX_MARKS, thin=False)
        self.frames = FrameStore(frame_budget_bytes)
        self.deliveries = Deliveries()
        self.diagnostics: dict[str, Track[Diagnostic]] = {}
        self.snapshots: Track[tuple[Delivery, ...]] = Track(5000)
        self.high_level_latencies: Track[float] = Track(20_000)
        self.low_level_states: Track[LowLevelState] = Track(5000)
        self.chunks: Track[ActionChunk] = Track(5000)
        self.joint_names: tuple[str, ...] = ()
        self.joint_rows: Track[tuple[float, Row]] = Track(20_000)
        self.start = 0.0
        self.latest = 0.0
        self.changes = 0
        self._sink = sink
        self._shift = 0.0
        self._marks_of_kind: dict[str, Track[Mark]] = {}
        self._next_mark = 0
        self._episode = ''
        self._attempts: Counter[str] = Counter()
        self._naive_chars = 0
        self._states_seen = False
        self._state_goal = ''
        self._next_joint_time = -math.inf
        self._next_snapshot_time = -math.inf
        self._started = False

    def mark_at(self, kind: str, time: float) -> Mark | None:
        """Return the newest mark of the kind that is not after the time."""
        track = self._marks_of_kind.get(kind)
        return track.at(time) if track is not None else None

    def marks_since(self, number: int) -> list[Mark]:
        """Return the marks with this number or a greater one, oldest first."""
        with self.lock:
            newer = min(max(0, self._next_mark - number), len(self.marks))
            return list(self.marks)[len(self.marks) - newer:]

    def marks_of(self, kind: str) -> list[Mark]:
        """Return all marks of one kind, oldest first."""
        with self.lock:
            return list(self._marks_of_kind.get(kind, ()))

    def goal(self, now: float, text: str) -> None:
        """Take a goal from its topic."""
        with self.lock:
            self._set_text('goal', self._advance(now), text)
            self._write('goal', now, text=text)

    def subtask(self, now: float, text: str) -> None:
        """Take a subtask from its topic: needed only until the first state tells more."""
        with self.lock:
            time = self._advance(now)
            if not self._states_seen:
                self._new_subtask(time, text)
            self._write('subtask', now, text=text)

    def memory(self, now: float, text: str) -> None:
        """Take a memory from its topic: needed only until the first state tells more."""
        with self.lock:
            time = self._advance(now)
            if not self._states_seen:
                self._new_memory(time, text, 0, 'ok', 'topic')
            self._write('memory', now, text=text)

    def high_level(self, now: float, state: HighLevelState) -> None:
        """Take one step of the high-level policy."""
        with self.lock:
            time = self._advance(now, 'hl_state')
            self._states_seen = True
            self.high_level_latencies.append(time, float(state.latency_s or 0.0))
            self._enter_episode(time, state.episode)
            if state.goal != self._state_goal:
                self._state_goal = state.goal
                self._set_text('goal', time, state.goal)
            self._new_subtask(time, state.subtask)
            self._new_memory(
                time, state.memory, state.memory_version, state.status, state.source)
            if state.error or state.status in ('malformed', 'oversized', 'failed'):
                self._mark(time, 'incident', where='high level', level='warn',
                           text=_line(f'{state.status}: {state.error}'.rstrip(': ')))
            self._write('high_level', now, state=asdict(state))

    def low_level(self, now: float, state: LowLevelState) -> None:
        """Take the account of one action chunk."""
        with self.lock:
            time = self._advance(now, 'll_state')
            previous = self.low_level_states.last
            self.low_level_states.append(time, state)
            stamps = {camera: [None if stamp is None else stamp + self._shift for stamp in row]
                      for camera, row in state.frame_stamps.items()}
            for frame in self.frames.see(time, stamps):
                self._write('frame', now, frame.picture, camera=frame.camera,
                            stamp=frame.stamp - self._shift)
            if state.status != 'ok' and (previous is None or previous.status == 'ok'):
                self._mark(time, 'incident', where='low level', level='warn',
                           text=_line(f'{state.status}: {state.error}'.rstrip(': ')))
            self._write('low_level', now, state=asdict(state))

    def chunk(self, now: float, chunk: ActionChunk) -> None:
        """Take an action chunk."""
        with self.lock:
            time = self._advance(now, 'action_chunk')
            shifted = ActionChunk(
                chunk.joint_names, chunk.stamp + self._shift, chunk.dt,
                chunk.positions.astype('float32'), chunk.session, chunk.episode, chunk.number)
            self.chunks.append(time, shifted)
            self._write('chunk', now, joint_names=list(chunk.joint_names), stamp=chunk.stamp,
                        dt=chunk.dt, positions=chunk.positions.round(5).tolist(),
                        number=chunk.number)

    def joints(
        self, now: float, stamp: float, names: Sequence[str], positions: Sequence[float],
    ) -> None:
        """Take a joint state; at most one in 40 ms is stored."""
        with self.lock:
            time = self._advance(now, 'joint_states')
            if time < self._next_joint_time:
                return
            self.joint_names = self.joint_names or tuple(names)
            by_name = dict(zip(names, positions, strict=False))
            row = tuple(float(by_name.get(name, math.nan)) for name in self.joint_names)
            if not all(map(math.isfinite, row)):
                return
            self._next_joint_time = time + JOINT_INTERVAL_S
            self.joint_rows.append(stamp + self._shift, (stamp + self._shift, row))
            self._write('joints', now, stamp=stamp, names=list(self.joint_names),
                        positions=[round(value, 5) for value in row])

    def frame(self, now: float, camera: str, stamp: float, picture: Picture) -> None:
        """Take a small JPEG picture; only those that the policy turns out to use are kept."""
        with self.lock:
            self._advance(now, f'camera {camera}')
            self.frames.add(camera, stamp + self._shift, picture)

    def diagnostic(self, now: float, name: str, level: int, message: str) -> None:
        """Take one status of ``/diagnostics``: level 0 ok, 1 warn, 2 error, 3 stale."""
        with self.lock:
            time = self._advance(now, 'diagnostics')
            status = Diagnostic(_line(name), LEVELS[min(max(level, 0), 3)], _line(message))
            if status.name not in self.diagnostics and len(self.diagnostics) >= MAX_DIAGNOSTICS:
                return
            track = self.diagnostics.setdefault(status.name, Track(1000))
            last = track.last
            if last == status:
                return
            track.append(time, status)
            if (last.level if last else 'ok') != status.level:
                self._mark(time, 'incident', where=status.name, level=status.level,
                           text=status.text)
            self._write('diagnostic', now, name=name, level=level, message=message)

    def gate(self, now: float, level: str, reason: str) -> None:
        """Take the state of the safety gate: OK, WARN, HOLD, STOP or FAULT."""
        with self.lock:
            time = self._advance(now)
            last = self.mark_at('gate', math.inf)
            if last is None or (last.data['level'], last.data['reason']) != (level, reason):
                self._mark(time, 'gate', level=_line(level), reason=_line(reason))
                self._write('gate', now, level=level, reason=reason)

    def hold(self, now: float, is_held: bool) -> None:
        """Take whether an operator holds the robot."""
        with self.lock:
            time = self._advance(now)
            last = self.mark_at('hold', math.inf)
            if (last.data['on'] if last else False) != is_held:
                self._mark(time, 'hold', on=is_held)
                self._write('hold', now, is_held=is_held)

    def score(self, now: float, text: str) -> None:
        """Take the score of the task, as its topic writes it."""
        with self.lock:
            self._set_text('score', self._advance(now), text)
            self._write('score', now, text=text)

    def edit(self, now: float, action: str, text: str) -> None:
        """Take an intervention that a person made from the page."""
        with self.lock:
            self._mark(self._advance(now), 'edit', action=action, text=_line(text))
            self._write('edit', now, action=action, text=text)

    def _advance(self, now: float, source: str = '') -> float:
        """Return the moment on the recording's own clock, which never steps back."""
        if not self._started:
            self._started = True
            self.start = self.latest = now
        time = now + self._shift
        if not -CLOCK_BACK_S <= time - self.latest <= CLOCK_AHEAD_S:
            self._shift += self.latest - time
            time = self.latest
            self._mark(time, 'incident', where='clock', level='warn',
                       text='The clock jumped; the recording goes on without a gap.')
        self.latest = max(self.latest, time)
        self.changes += 1
        if source:
            self.deliveries.arrived(source, self.latest)
        if self.latest >= self._next_snapshot_time:
            self._next_snapshot_time = self.latest + SNAPSHOT_INTERVAL_S
            self.snapshots.append(self.latest, self.deliveries.at(self.latest))
        return self.latest

    def _mark(self, time: float, kind: str, **data: Any) -> None:
        mark = Mark(self._next_mark, time, kind, data)
        self._next_mark += 1
        self.marks.append(time, mark)
        self._marks_of_kind.setdefault(kind, Track(MAX_MARKS, thin=False)).append(time, mark)

    def _enter_episode(self, time: float, episode: str) -> None:
        if episode != self._episode:
            self._episode = episode
            self._attempts.clear()
            self._naive_chars = 0
            self._mark(time, 'episode', text=_line(episode))

    def _set_text(self, kind: str, time: float, text: str) -> None:
        last = self.mark_at(kind, math.inf)
        text = _line(text)
        if (last.data['text'] if last else '') != text:
            self._mark(time, kind, text=text)

    def _new_subtask(self, time: float, text: str) -> None:
        last = self.mark_at('subtask', math.inf)
        text = _line(text)
        if last is not None and (last.data['text'], last.data['episode']) == (text, self._episode):
            return
        if not text and last is None:
            return
        self._attempts[text] += 1
        self._naive_chars += len(text) + 2 if text else 0
        self._mark(time, 'subtask', text=text, attempt=self._attempts[text],
                   episode=self._episode, naive_chars=self._naive_chars)

    def _new_memory(
        self, time: float, text: str, version: int, status: str, source: str,
    ) -> None:
        last = self.mark_at('memory', math.inf)
        before, text = (last.data['text'] if last else ''), _line(text)
        if before == text:
            return
        changes = [(change.kind, change.text) for change in word_changes(before, text)]
        self._mark(time, 'memory', text=text, version=version, status=_line(status),
                   source=_line(source), naive_chars=self._naive_chars, changes=changes)

    def _write(
        self, kind: str, now: float, picture: Picture | None = None, **event: Any,
    ) -> None:
        if self._sink is not None:
            self._sink.write(kind, {'now': now, **event}, picture)


def _line(text: str) -> str:
    """Return one harmless line: the topics are open to any writer."""
    return escape_unsafe(str(text)[:MAX_TEXT_CHARS]).strip()
