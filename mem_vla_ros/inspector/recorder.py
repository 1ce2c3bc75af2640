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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import json
import math
import threading
from typing import Any, Protocol

from mem_vla_ros.core.states import HighLevelState, LowLevelState
from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.inspector.deliveries import Deliveries, Delivery
from mem_vla_ros.inspector.frame_store import FrameStore, Picture
from mem_vla_ros.inspector.story import Story
from mem_vla_ros.inspector.timeline import one_line, Timeline
from mem_vla_ros.inspector.track import Track

FRAME_BUDGET_BYTES = 128_000_000
JOINT_INTERVAL_S = 0.04
SNAPSHOT_INTERVAL_S = 1.0
MAX_DIAGNOSTICS = 64
LEVELS = ('ok', 'warn', 'error', 'stale')
#: A clock that steps back, or forward by more than any silence, was set or belongs to a new run.
CLOCK_BACK_S = 0.5
CLOCK_AHEAD_S = 3600.0
CLOCK_GAP_S = 1.0
DECIMALS = 5

Row = tuple[float, ...]


@dataclass(frozen=True)
class Diagnostic:
    """One status of ``/diagnostics``; the level is one of ``LEVELS``."""

    name: str
    level: str
    text: str


class EventSink(Protocol):
    """Where the recorder repeats what it was told, such as a file."""

    def write(self, kind: str, event: Mapping[str, Any], picture: Picture | None = None) -> None:
        """Append one event; its values are JSON's own or dataclasses of them."""
        ...


class Recorder:
    """
    What the robot remembered, saw and did, over hours.

    :param is_replay: The calls come from a recording: how regularly the inputs arrived is told
        by it, not measured here.
    """

    def __init__(
        self, sink: EventSink | None = None, frame_budget_bytes: int = FRAME_BUDGET_BYTES,
        is_replay: bool = False,
    ) -> None:
        self.lock = threading.RLock()
        self.timeline = Timeline(self.lock)
        self.frames = FrameStore(frame_budget_bytes)
        self.diagnostics: dict[str, Track[Diagnostic]] = {}
        self.high_level_latencies: Track[float] = Track(20_000)
        self.low_level_states: Track[LowLevelState] = Track(5000)
        self.chunks: Track[tuple[float, ActionChunk]] = Track(5000)
        self.joint_names: tuple[str, ...] = ()
        self.joint_rows: Track[tuple[float, Row]] = Track(20_000)
        self.start = 0.0
        self.latest = 0.0
        self.changes = 0
        self._story = Story(self.timeline)
        self._sink = sink
        self._is_replay = is_replay
        self._deliveries = Deliveries()
        self._snapshots: Track[tuple[Delivery, ...]] = Track(5000)
        self._shift = 0.0
        self._next_joint_time = -math.inf
        self._next_snapshot_time = -math.inf
        self._started = False

    def inputs_at(self, time: float) -> tuple[Delivery, ...]:
        """Return how regularly every input arrived around the time."""
        if time >= self.latest and not self._is_replay:
            return self._deliveries.at(time)
        return self._snapshots.at(time) or ()

    def tick(self, now: float) -> None:
        """Let time pass without news."""
        with self.lock:
            self._advance(now)

    def goal(self, now: float, text: str) -> None:
        """Take a goal from its topic."""
        with self.lock:
            self._story.take_goal(self._advance(now), text)
            self._write('goal', now, text=text)

    def subtask(self, now: float, text: str) -> None:
        """Take a subtask from its topic."""
        with self.lock:
            self._story.take_subtask(self._advance(now), text)
            self._write('subtask', now, text=text)

    def memory(self, now: float, text: str) -> None:
        """Take a memory from its topic."""
        with self.lock:
            self._story.take_memory(self._advance(now), text)
            self._write('memory', now, text=text)

    def high_level(self, now: float, state: HighLevelState) -> None:
        """Take one step of the high-level policy."""
        with self.lock:
            time = self._advance(now, 'hl_state')
            self.high_level_latencies.append(time, float(state.latency_s or 0.0))
            self._story.take_state(time, state)
            self._write('high_level', now, state=state)

    def low_level(self, now: float, state: LowLevelState) -> None:
        """Take the account of one action chunk."""
        with self.lock:
            time = self._advance(now, 'll_state')
            previous = self.low_level_states.last
            self.low_level_states.append(time, state)
            stamps = {camera: [None if stamp is None else stamp + self._shift for stamp in row]
                      for camera, row in state.frame_stamps.items()}
            for frame in self.frames.see(time, state.stamp + self._shift, stamps):
                self._write('frame', now, frame.picture, camera=frame.camera,
                            stamp=frame.stamp - self._shift)
            if state.status != 'ok' and (previous is None or previous.status == 'ok'):
                self.timeline.add_incident(
                    time, 'low level', 'warn', f'{state.status}: {state.error}'.rstrip(': '))
            self._write('low_level', now, state=state)

    def chunk(self, now: float, chunk: ActionChunk) -> None:
        """Take an action chunk."""
        with self.lock:
            time = self._advance(now, 'action_chunk')
            positions = chunk.positions.round(DECIMALS)
            shifted = ActionChunk(
                chunk.joint_names, chunk.stamp + self._shift, chunk.dt,
                positions.astype('float32'), chunk.session, chunk.episode, chunk.number)
            self.chunks.append(time, (time, shifted))
            self._write('chunk', now, joint_names=list(chunk.joint_names), stamp=chunk.stamp,
                        dt=chunk.dt, positions=positions.tolist(),
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
            row = tuple(round(float(by_name.get(name, math.nan)), DECIMALS)
                        for name in self.joint_names)
            if not all(map(math.isfinite, row)):
                return
            self._next_joint_time = time + JOINT_INTERVAL_S
            self.joint_rows.append(stamp + self._shift, (stamp + self._shift, row))
            self._write('joints', now, stamp=stamp, names=list(self.joint_names),
                        positions=row)

    def frame(self, now: float, camera: str, stamp: float, picture: Picture) -> None:
        """Take a small JPEG picture; only those that the policy turns out to use are kept."""
        with self.lock:
            self._advance(now, f'camera {camera}')
            self.frames.add(camera, stamp + self._shift, picture)

    def diagnostic(self, now: float, name: str, level: int, message: str) -> None:
        """Take one status of ``/diagnostics``: level 0 ok, 1 warn, 2 error, 3 stale."""
        with self.lock:
            time = self._advance(now, 'diagnostics')
            status = Diagnostic(one_line(name), LEVELS[min(max(level, 0), 3)], one_line(message))
            if status.name not in self.diagnostics and len(self.diagnostics) >= MAX_DIAGNOSTICS:
                return
            track = self.diagnostics.setdefault(status.name, Track(1000))
            last = track.last
            if last == status:
                return
            track.append(time, status)
            if (last.level if last else 'ok') != status.level:
                self.timeline.add_incident(time, status.name, status.level, status.text)
            self._write('diagnostic', now, name=name, level=level, message=message)

    def gate(self, now: float, level: str, reason: str) -> None:
        """Take the state of the safety gate: OK, WARN, HOLD, STOP or FAULT."""
        with self.lock:
            time = self._advance(now)
            last = self.timeline.at('gate')
            if last is None or (last.data['level'], last.data['reason']) != (level, reason):
                self.timeline.add(time, 'gate', level=one_line(level), reason=one_line(reason))
                self._write('gate', now, level=level, reason=reason)

    def hold(self, now: float, is_held: bool) -> None:
        """Take whether an operator holds the robot."""
        with self.lock:
            time = self._advance(now)
            last = self.timeline.at('hold')
            if (last.data['on'] if last else False) != is_held:
                self.timeline.add(time, 'hold', on=is_held)
                self._write('hold', now, is_held=is_held)

    def score(self, now: float, text: str) -> None:
        """Take the score of the task: a JSON object; its running clock alone is no news."""
        with self.lock:
            time = self._advance(now)
            values = _score_values(text)
            last = self.timeline.at('score')
            if last is None or last.data['values'] != values:
                self.timeline.add(time, 'score', text=one_line(_score_text(values)), values=values)
                self._write('score', now, text=text)

    def inputs(self, now: float, inputs: Sequence[Delivery]) -> None:
        """Take a second's account of all inputs from a recording."""
        with self.lock:
            time = self._advance(now)
            self._snapshots.append(time, tuple(inputs))

    def edit(self, now: float, action: str, text: str) -> None:
        """Take an intervention that a person made from the page."""
        with self.lock:
            self.timeline.add(self._advance(now), 'edit', action=action, text=one_line(text))
            self._write('edit', now, action=action, text=text)

    def _advance(self, now: float, source: str = '') -> float:
        """Return the moment on the recording's own clock, which never steps back."""
        if not self._started:
            self._started = True
            self.start = self.latest = now
        time = now + self._shift
        if not -CLOCK_BACK_S <= time - self.latest <= CLOCK_AHEAD_S:
            self._shift += self.latest + CLOCK_GAP_S - time
            time = self.latest + CLOCK_GAP_S
            self.timeline.add_incident(
                time, 'clock', 'warn', 'The clock jumped; the recording goes on without a gap.')
        self.latest = max(self.latest, time)
        self.changes += 1
        if source:
            self._deliveries.arrived(source, self.latest)
        if self.latest >= self._next_snapshot_time:
            self._next_snapshot_time = self.latest + SNAPSHOT_INTERVAL_S
            self._take_snapshot(now)
        return self.latest

    def _take_snapshot(self, now: float) -> None:
        if self._is_replay:
            return
        inputs = self._deliveries.at(self.latest)
        self._snapshots.append(self.latest, inputs)
        self._write('inputs', now, inputs=inputs)

    def _write(
        self, kind: str, now: float, picture: Picture | None = None, **event: Any,
    ) -> None:
        if self._sink is not None:
            self._sink.write(kind, {'now': now, **event}, picture)


def _score_values(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except ValueError:
        values = text
    if not isinstance(values, dict):
        values = {'score': values}
    return {one_line(name): value if isinstance(value, bool | int | float) else one_line(value)
            for name, value in values.items() if name != 'time_s'}


def _score_text(values: Mapping[str, Any]) -> str:
    if 'points' not in values:
        return ', '.join(f'{name} {value}' for name, value in values.items())
    outcome = 'solved' if values.get('success') else 'failed' if values.get('failed') else ''
    points = f'{values["points"]} of {values.get("max_points", "?")} points'.replace('.0 ', ' ')
    return ', '.join(filter(None, (points, outcome, str(values.get('reason', '')))))
