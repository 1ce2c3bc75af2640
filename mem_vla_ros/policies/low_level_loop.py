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
The low level at run time: newest observation in, action chunk out.

Callbacks put inputs in and return at once; one worker thread calls :meth:`LowLevelLoop.step`,
which may take as long as the policy takes. Whatever the policy does, a step ends in a chunk, in a
state that says why there is none, or in nothing to do.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
import math
from threading import Lock
import time
from typing import NamedTuple
from uuid import uuid4

from mem_vla_ros.core.errors import ConfigError, PolicyError
from mem_vla_ros.core.states import LowLevelState
from mem_vla_ros.core.types import ActionChunk, Committed, FloatArray, ImageArray, Observation
from mem_vla_ros.execution.chunking import RealTimeChunking
from mem_vla_ros.execution.fault import Fault
from mem_vla_ros.execution.history import History
from mem_vla_ros.execution.level import Level
from mem_vla_ros.policies.guarded_policy import Answer, GuardedPolicy


class LoopStep(NamedTuple):
    """
    Outcome of one inference.

    :param chunk: What to publish; None if the answer was late, bad or an exception.
    :param state: What to publish as ``ll_state`` in every case.
    """

    chunk: ActionChunk | None
    state: LowLevelState


@dataclass(frozen=True)
class _Request:
    """What one inference works on, fixed when it starts."""

    observation: Observation
    committed: Committed | None
    subtask: str
    goal: str
    episode: str
    generation: int
    fresh: bool
    forecast: int


class LowLevelLoop:
    """
    Runs a low-level policy on a history with real-time chunking.

    Inputs may come from any thread; :meth:`step` and :meth:`warm_up` from one.

    :param max_chunk_age: An answer to an older observation is late and dropped [s].
    :param needs_subtask: Wait until there is a subtask.
    :param session: Name of this start of the node; None makes a random one.
    :param steady: Steady clock for timings [s].
    """

    def __init__(
        self, policy: GuardedPolicy, history: History, chunking: RealTimeChunking,
        max_chunk_age: float = 1.0, needs_subtask: bool = True, session: str | None = None,
        steady: Callable[[], float] = time.perf_counter,
    ) -> None:
        # CHECK: chunking counts the policy's rows
        wanted = (policy.policy.horizon, policy.policy.dt)
        if (chunking.horizon, chunking.dt) != wanted:
            raise ConfigError(
                f'Chunking is set up for {chunking.horizon} rows of {chunking.dt} s. '
                f'The policy gives {wanted[0]} rows of {wanted[1]} s.')
        self.session = uuid4().hex[:12] if session is None else session
        self._policy = policy
        self._history = history
        self._chunking = chunking
        self._max_chunk_age = max_chunk_age
        self._needs_subtask = needs_subtask
        self._steady = steady
        self._lock = Lock()
        self._subtask = ''
        self._goal = ''
        self._episode = ''
        self._held = False
        self._hurry = False
        self._generation = 0
        self._fresh = False
        self._busy_since: float | None = None
        self._number = 0
        self._last_stamp = -math.inf

    def add_frame(self, camera: str, stamp: float, image: ImageArray, now: float) -> Fault | None:
        """Take in one image, see :meth:`History.add_frame`."""
        with self._lock:
            return self._seen(self._history.add_frame(camera, stamp, image, now))

    def add_joints(
        self, stamp: float, names: Sequence[str], positions: Sequence[float] | FloatArray,
        now: float,
    ) -> Fault | None:
        """Take in one joint state, see :meth:`History.add_joints`."""
        with self._lock:
            return self._seen(self._history.add_joints(stamp, names, positions, now))

    def set_subtask(self, subtask: str) -> None:
        """
        Work on this subtask; a change makes the next inference due at once.

        An answer for the old subtask that is under way is still used: the chunk that runs
        meanwhile is for the old subtask, too, and older.
        """
        with self._lock:
            self._hurry |= subtask != self._subtask
            self._subtask = subtask

    def set_goal(self, goal: str) -> None:
        """Work towards this goal; a change makes the next inference due at once."""
        with self._lock:
            self._hurry |= goal != self._goal
            self._goal = goal

    def set_hold(self, held: bool) -> None:
        """Rest while the arm is held; afterwards start cold, as the chunk was not executed."""
        with self._lock:
            if held and not self._held:
                self._generation += 1
                self._chunking.reset()
            self._held = held

    def set_episode(self, episode: str) -> None:
        """Start over if this is another episode; work under way for the old one is dropped."""
        with self._lock:
            changed = episode != self._episode
        if changed:
            self.reset(episode)

    def reset(self, episode: str | None = None) -> None:
        """
        Begin an episode with an empty history, and forgive earlier failures.

        :param episode: Its name; None keeps the present one.
        """
        with self._lock:
            self._episode = self._episode if episode is None else episode
            self._history.reset()
            self._policy.forgive()
            self._start_over()

    def warm_up(self, image_size: tuple[int, int] = (224, 224), runs: int = 2) -> float:
        """
        Let the policy think on blank observations, and return how long the last took [s].

        A first inference is slow; it shall not happen on the moving arm. The time enters the
        forecast of delays. A policy may refuse a blank observation by a ``PolicyError``; any
        other exception means that it does not work, and is left to the caller.
        """
        observation = self._history.blank(image_size)
        policy = self._policy.policy
        duration = 0.0
        try:
            for _ in range(runs):
                start = self._steady()
                policy.predict(observation, '', '', None)
                duration = self._steady() - start
        except PolicyError:
            return 0.0
        finally:
            policy.reset()
        self._chunking.forecast.add(self._chunking.delay_steps(0.0, duration))
        return duration

    def step(self, now: float, clock: Callable[[], float]) -> LoopStep | None:
        """
        Run one inference if it is time for one.

        :param now: Sensor time [s].
        :param clock: Returns sensor time; asked again when the answer is there.
        :returns: None if nothing is due, something is missing, or the episode ended meanwhile.
        """
        start = self._steady()
        with self._lock:
            request = self._request(now)
        if request is None:
            return None
        observed = self._busy_since = self._steady()
        answer = self._policy.ask(
            request.observation, request.subtask, request.goal, request.committed,
            request.fresh)
        self._busy_since = None
        timings = {'observe': observed - start, 'predict': self._steady() - observed}
        with self._lock:
            if request.generation != self._generation:
                return None
            return self._settle(request, answer, clock(), timings)

    def busy_s(self, now_steady: float) -> float:
        """Return for how long the policy has been thinking, by the steady clock; 0 if not."""
        since = self._busy_since
        return 0.0 if since is None else now_steady - since

    def missing(self, now: float) -> tuple[str, ...]:
        """Return what the next inference waits for: cameras, ``joint_states``, ``subtask``."""
        with self._lock:
            waits = self._needs_subtask and not self._subtask
            return self._history.missing(now) + (('subtask',) if waits else ())

    def flags(self) -> dict[str, Level]:
        """Return what a safety gate has to know of the policy."""
        return self._policy.flags()

    def _seen(self, fault: Fault | None) -> Fault | None:
        if fault is not None and fault.name == 'clock_jumped':
            self._start_over()
        return fault

    def _start_over(self) -> None:
        self._generation += 1
        self._fresh = True
        self._chunking.reset()
        self._last_stamp = -math.inf

    def _request(self, now: float) -> _Request | None:
        waits = self._held or (self._needs_subtask and not self._subtask)
        if waits or not self._is_due(now) or not self._policy.ready(now):
            return None
        observation = self._history.observe(now)
        if observation is None or observation.stamp <= self._last_stamp:
            return None
        if not self._is_due(observation.stamp):
            return None
        self._hurry = False
        self._last_stamp = observation.stamp
        fresh, self._fresh = self._fresh, False
        return _Request(
            observation, self._chunking.committed(observation.stamp, observation.position),
            self._subtask, self._goal, self._episode, self._generation, fresh,
            self._chunking.forecast.steps)

    def _is_due(self, stamp: float) -> bool:
        return self._hurry or self._chunking.due(stamp)

    def _settle(
        self, request: _Request, answer: Answer, now: float, timings: dict[str, float],
    ) -> LoopStep:
        """Judge the answer, count it, and make it the running chunk if it is good."""
        age = now - request.observation.stamp
        delay = self._chunking.delay_steps(request.observation.stamp, now)
        self._policy.count(answer, now)
        if answer.chunk is not None and age > self._max_chunk_age:
            self._chunking.forecast.add(delay)
            answer = Answer(
                None, 'late', f'answer after {age:.3f} s, allowed {self._max_chunk_age} s')
        state = self._state(request, answer, delay, timings)
        if answer.chunk is None:
            return LoopStep(None, state)
        chunk = replace(
            self._chunking.answered(answer.chunk, now), session=self.session,
            episode=request.episode, number=self._number)
        self._number += 1
        return LoopStep(chunk, state)

    def _state(
        self, request: _Request, answer: Answer, delay: int, timings: dict[str, float],
    ) -> LowLevelState:
        observation = request.observation
        return LowLevelState(
            session=self.session, episode=request.episode, chunk=self._number,
            stamp=observation.stamp, dt=self._chunking.dt, rows=self._chunking.horizon,
            goal=request.goal, subtask=request.subtask,
            frame_stamps={
                name: _listed(stack.stamps) for name, stack in observation.cameras.items()},
            joint_stamps=_listed(observation.joints.stamps),
            spacing_error_s=self._history.spacing_error(observation),
            delay_steps=delay, forecast_delay_steps=request.forecast,
            chunking=self._chunking.mode, status=answer.status, error=answer.error,
            timings_s=timings, stride=self._history.rule.stride, grain=self._history.rule.grain,
            since=self._history.since if math.isfinite(self._history.since) else None)


def _listed(stamps: FloatArray) -> list[float | None]:
    return [None if math.isnan(stamp) else float(stamp) for stamp in stamps]
