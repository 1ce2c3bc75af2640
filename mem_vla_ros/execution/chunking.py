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
Real-time chunking at run time: when to think again, and what is already decided by then.

The robot goes on while the policy thinks. What it will have executed by the time of the answer
is committed: the new chunk must begin with it. How the policy honours that is its own matter
(guided sampling, arXiv 2506.07339, or a trained prefix, arXiv 2512.05964); here it is only
counted. Two simpler ways are kept to compare with: a hard switch, and temporal ensembling, which
averages all chunks that speak about the same moment (arXiv 2304.13705).

Row 0 of a chunk stands at the time of its observation. If ``n`` steps have begun when the answer
arrives, the arm is between rows ``n - 1`` and ``n``, so rows 0 to ``n`` are committed.
"""

from collections import deque
from dataclasses import replace

import numpy as np

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.types import ActionChunk, Committed, FloatArray
from mem_vla_ros.execution.delay_forecast import DelayForecast, steps_begun
from mem_vla_ros.execution.motion import Motion

MODES = ('hard', 'ensemble', 'rtc_guided', 'rtc_trained')


class RealTimeChunking:
    """
    Keeps the running chunk and prepares the next inference from it.

    :param mode: One of ``MODES``.
    :param dt: Time between the rows of a chunk [s].
    :param horizon: Rows of a chunk.
    :param execution_horizon: Steps to execute of a chunk before the next inference starts. A
        forecast delay that is longer lengthens it.
    :param forecast: Shared with the warm-up; None starts at a delay of 0.
    :param transport_s: Time that a chunk travels to the executor, counted as delay [s].
    :param max_deviation: If the joints are further than this from the running chunk, it is not
        being executed, and the next inference is a cold start [rad or m], shape (J,).
    :param ensemble_decay: Weights of temporal ensembling are ``exp(-decay * age)``, the oldest
        chunk having age 0.
    """

    def __init__(
        self, mode: str, dt: float, horizon: int, execution_horizon: int,
        forecast: DelayForecast | None = None, transport_s: float = 0.01,
        max_deviation: FloatArray | None = None, ensemble_decay: float = 0.01,
    ) -> None:
        # CHECK: mode is known
        if mode not in MODES:
            raise ConfigError(f'Chunking must be one of {list(MODES)}. Got {mode!r}.')
        # CHECK: something is executed, and something is left
        if not 1 <= execution_horizon < horizon:
            raise ConfigError(
                f'execution_horizon must be in 1..{horizon - 1} for {horizon} rows. '
                f'Got {execution_horizon}.')
        self.mode = mode
        self.dt = dt
        self.horizon = horizon
        self.execution_horizon = execution_horizon
        self.forecast = forecast or DelayForecast()
        self.transport_s = transport_s
        self.max_deviation = max_deviation
        self.ensemble_decay = ensemble_decay
        self._running: deque[ActionChunk] = deque(maxlen=horizon)

    @property
    def running(self) -> ActionChunk | None:
        """Return the chunk that was published last."""
        return self._running[-1] if self._running else None

    def due(self, stamp: float) -> bool:
        """Return whether the next inference shall start, from an observation at ``stamp``."""
        if self.running is None:
            return True
        steps = max(self.execution_horizon, self.forecast.steps)
        steps = min(steps, max(1, self.horizon - 1 - self.forecast.steps))
        return stamp >= self.running.stamp + steps * self.dt - 1e-6

    def committed(self, stamp: float, position: FloatArray | None = None) -> Committed | None:
        """
        Return what is left of the running chunk, for a new one that begins at ``stamp``.

        :param position: Measured joints, to see whether the running chunk is being executed.
        :returns: None without real-time chunking and for a cold start.
        """
        running = self.running
        if running is None or not self.mode.startswith('rtc'):
            return None
        rows = 1 + int(np.floor((running.end - stamp) / self.dt + 1e-6))
        if rows < 2 or stamp < running.stamp:
            return None
        motion = Motion.of(running)
        if self._strayed(motion.at(stamp), position):
            return None
        rows = min(rows, self.horizon)
        positions = motion.at(stamp + self.dt * np.arange(rows, dtype=np.float64))
        return Committed(positions, min(self.forecast.steps + 1, rows))

    def answered(self, chunk: ActionChunk, now: float) -> ActionChunk:
        """
        Take in the policy's answer and return the chunk to publish.

        :param now: Time at which the answer is there; with it the delay enters the forecast.
        """
        self.forecast.add(self.delay_steps(chunk.stamp, now))
        if self.mode == 'ensemble':
            self._running.append(chunk)
            return self._ensembled(chunk)
        self._running.clear()
        self._running.append(chunk)
        return chunk

    def delay_steps(self, stamp: float, now: float) -> int:
        """Return how many steps have begun between an observation and its answer."""
        return steps_begun(now + self.transport_s - stamp, self.dt)

    def reset(self) -> None:
        """Forget the running chunk: new episode, or the arm was held."""
        self._running.clear()

    def _strayed(self, target: FloatArray, position: FloatArray | None) -> bool:
        if position is None or self.max_deviation is None:
            return False
        return bool(np.any(np.abs(target - position) > self.max_deviation))

    def _ensembled(self, newest: ActionChunk) -> ActionChunk:
        """Return the mean of all chunks on the newest one's rows."""
        total = np.zeros_like(newest.positions)
        weights = np.zeros((len(newest.positions), 1))
        for age, chunk in enumerate(self._running):
            covered = (newest.times <= chunk.end + 1e-6)[:, None]
            weight = covered * np.exp(-self.ensemble_decay * age)
            total += weight * Motion.of(chunk).at(newest.times)
            weights += weight
        return replace(newest, positions=total / weights)
