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
Plays action chunks by their stamps, as commands that end at rest.

Every command follows the chunk for a moment and then brakes to a stand. It is replaced long
before it brakes; if nothing replaces it, whatever died, the arm stops by itself.
"""

from dataclasses import dataclass, replace

import numpy as np

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.limits import JointLimits
from mem_vla_ros.core.types import ActionChunk, FloatArray
from mem_vla_ros.execution.chunk_check import (
    BAD_ANSWERS,
    check_chunk,
    ChunkRules,
    in_joint_order,
)
from mem_vla_ros.execution.chunk_origin import ChunkOrigin
from mem_vla_ros.execution.fault import Fault
from mem_vla_ros.execution.level import Level
from mem_vla_ros.execution.motion import limit_speed, Motion, splice
from mem_vla_ros.execution.strikes import Strikes

_CLOCK_SLACK_S = 0.05
_NEAREST_STEPS = 51


@dataclass(frozen=True)
class PlayerConfig:
    """
    How chunks are played.

    :param dt_control: Time between commands [s].
    :param horizon_s: Time that a command spans, braking included; at most 0.5 [s].
    :param brake_s: Time to come to rest; the rest of the horizon follows the chunk [s].
    :param blend_s: Time to move over from the running chunk to a new one; 0 switches hard, as
        fast as the velocity limits allow [s].
    :param point_dt: Time between the points of a command [s].
    :param session_timeout_s: Silence after which another session may take over [s].
    :param max_bad_answers: Bad chunks in a row that are a fault.
    """

    dt_control: float = 0.02
    horizon_s: float = 0.5
    brake_s: float = 0.25
    blend_s: float = 0.1
    point_dt: float = 0.05
    session_timeout_s: float = 1.0
    max_bad_answers: int = 3

    def __post_init__(self) -> None:
        # CHECK: a command is short, and has time to follow and to brake
        if not 0.0 < self.brake_s < self.horizon_s <= 0.5:
            raise ConfigError(
                'A command needs 0 < brake_s < horizon_s <= 0.5 seconds. '
                f'Got brake_s={self.brake_s}, horizon_s={self.horizon_s}.')
        # CHECK: a command outlives the time to the next one
        if not 0.0 < 2 * self.dt_control <= self.horizon_s - self.brake_s:
            raise ConfigError(
                'dt_control must be above 0 and at most half of horizon_s - brake_s. '
                f'Got {self.dt_control}.')
        # CHECK: a command has points
        if not 0.0 < self.point_dt <= self.horizon_s:
            raise ConfigError(
                f'point_dt must be above 0 and at most horizon_s. Got {self.point_dt}.')
        # CHECK: blending is a time
        if self.blend_s < 0.0:
            raise ConfigError(f'blend_s must be at least 0 seconds. Got {self.blend_s}.')


@dataclass(frozen=True)
class Command:
    """
    What goes to the controller: the near future, ending at rest.

    :param stamp: Time of the first point [s].
    :param times: Time of each point from ``stamp`` on, the first 0 [s], shape (N,).
    :param positions: Shape (N, J).
    :param velocities: Shape (N, J); zero in the last row.
    """

    joint_names: tuple[str, ...]
    stamp: float
    times: FloatArray
    positions: FloatArray
    velocities: FloatArray

    def position_after(self, seconds: float) -> FloatArray:
        """Return the position some seconds after ``stamp``, for a forward controller."""
        return Motion(self.times, self.positions).at(seconds)


class ChunkPlayer:
    """
    Turns chunks that come now and then into commands at the control rate.

    Times are sensor time [s]; the node calls :meth:`command` every ``dt_control``.
    """

    def __init__(
        self, limits: JointLimits, config: PlayerConfig | None = None,
        rules: ChunkRules | None = None,
    ) -> None:
        self.limits = limits
        self.config = config or PlayerConfig()
        self.rules = rules or ChunkRules()
        self.bad_answers = Strikes(self.config.max_bad_answers)
        self.origin = ChunkOrigin(self.config.session_timeout_s)
        self.holding = True
        self._motion: Motion | None = None
        self._chunk: ActionChunk | None = None
        self._now = -np.inf

    def seed(self, positions: FloatArray, now: float) -> None:
        """Start from where the joints are; does nothing once there is a reference."""
        if self._motion is None:
            self._motion = Motion.rest(self.limits.clip(positions), now)

    def accept(self, chunk: ActionChunk, now: float) -> Fault | None:
        """
        Take in a new chunk, which replaces the running one.

        While the player holds, the chunk is kept until :meth:`resume`.

        :returns: Why it was refused; the running chunk then goes on and ends at rest.
        """
        fault = self.origin.admit(chunk, now)
        if fault is not None:
            return fault
        if self._motion is None:
            return Fault('no_reference', 'no joint state has been seen yet')
        chunk, fault = self._fitted(in_joint_order(chunk, self.limits.names), self._motion, now)
        if fault is not None:
            if fault.name in BAD_ANSWERS:
                self.bad_answers.strike()
            return fault
        self.bad_answers.clear()
        self._chunk = replace(chunk, positions=self.limits.clip(chunk.positions))
        if not self.holding:
            self._splice(self._chunk, now)
        return None

    def reference(self, now: float) -> FloatArray | None:
        """Return where the joints are commanded to be now, shape (J,); None before a seed."""
        return None if self._motion is None else self._motion.at(now)

    def moving(self, now: float) -> bool:
        """Return whether the reference still moves."""
        return self._motion is not None and now < self._motion.end

    def command(self, now: float, level: Level) -> Command | None:
        """
        Return what to send now; None before :meth:`seed`.

        :param level: From HOLD upwards the arm brakes and stands.
        """
        if now < self._now - _CLOCK_SLACK_S:
            self.reset(now)
        self._now = max(now, self._now)
        if level >= Level.HOLD:
            self.hold(now)
        else:
            self.resume(now)
        return None if self._motion is None else self._command(self._motion, now)

    def hold(self, now: float) -> None:
        """Brake to rest and forget the chunk; does nothing while holding."""
        if not self.holding:
            self.holding = True
            self._brake(now)

    def resume(self, now: float) -> None:
        """Move again, along a chunk that came while holding if it is still good."""
        if not self.holding:
            return
        self.holding = False
        chunk, self._chunk = self._chunk, None
        if chunk is None or self._motion is None:
            return
        chunk, fault = self._fitted(chunk, self._motion, now)
        if fault is None:
            self._chunk = chunk
            self._splice(chunk, now)

    def reset(self, now: float) -> None:
        """
        End the episode: brake to rest, hear no more of it, and forgive.

        ``now`` may lie before earlier times, if the clock was set back.
        """
        if self._motion is not None and self._now > now:
            self._motion = self._motion.shifted(now - self._now)
        self._now = now
        self._brake(now)
        self.origin.release()
        self.bad_answers.clear()

    def forgive(self, now: float) -> None:
        """Brake to rest and forget chunks and faults, to go on with the episode."""
        self._brake(now)
        self.origin.unbind()
        self.bad_answers.clear()

    def flags(self) -> dict[str, Level]:
        """Return what the safety gate has to know of the chunks."""
        return {
            'rejected_chunks': self.bad_answers.level,
            'second_session': Level.FAULT if self.origin.contested else Level.OK}

    def _brake(self, now: float) -> None:
        self._chunk = None
        if self._motion is not None:
            self._motion = self._motion.braked(
                now, self.config.brake_s, self.config.dt_control)

    def _fitted(
        self, chunk: ActionChunk, motion: Motion, now: float,
    ) -> tuple[ActionChunk, Fault | None]:
        """
        Return the chunk to play, and why it must not be.

        A slow policy plans from where the arm was and answers when the plan has moved on. If the
        arm has not come along, the plan is played later: from where it passes the arm.
        """
        reference = motion.at(now)
        fault = check_chunk(chunk, self.limits, now, reference, self.rules)
        if fault is not None and fault.name == 'jumping_action' and chunk.stamp < now:
            lag = now - _nearest_time(chunk, reference, self.limits.velocity, now)
            chunk = replace(chunk, stamp=chunk.stamp + lag)
            fault = check_chunk(chunk, self.limits, now, reference, self.rules)
        return chunk, fault

    def _splice(self, chunk: ActionChunk, now: float) -> None:
        assert self._motion is not None
        config = self.config
        path = splice(self._motion, Motion.of(chunk), now, config.blend_s, config.dt_control)
        path = limit_speed(path, self.limits.velocity)
        brake_from = max(now, path.end - config.brake_s / 2)
        self._motion = path.braked(brake_from, config.brake_s, config.dt_control)

    def _command(self, motion: Motion, now: float) -> Command:
        config = self.config
        follow_s = config.horizon_s - config.brake_s
        safe = motion.braked(now + follow_s, config.brake_s, config.dt_control)
        times = np.linspace(0.0, config.horizon_s, round(config.horizon_s / config.point_dt) + 1)
        velocities = safe.velocities(now + times, config.dt_control)
        velocities[-1] = 0.0
        return Command(self.limits.names, now, times, safe.at(now + times), velocities)


def _nearest_time(
    chunk: ActionChunk, reference: FloatArray, velocity: FloatArray, now: float,
) -> float:
    """Return when, up to now, the chunk is nearest to a place: least time away, the earliest."""
    times = np.linspace(chunk.stamp, now, _NEAREST_STEPS)
    away = np.abs(Motion.of(chunk).at(times) - reference) / velocity
    return float(times[np.argmin(away.max(axis=1))])
