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

"""Whether a whole chunk may be played, decided before any of it moves the arm."""

from dataclasses import dataclass

import numpy as np

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.limits import JointLimits
from mem_vla_ros.core.types import ActionChunk, FloatArray
from mem_vla_ros.execution.fault import Fault
from mem_vla_ros.execution.motion import Motion

#: Faults of the policy's answer itself; the others are only bad timing.
BAD_ANSWERS = frozenset({
    'wrong_joints', 'malformed_chunk', 'non_finite_action', 'position_limit', 'velocity_limit',
    'jumping_action'})


@dataclass(frozen=True)
class ChunkRules:
    """
    What a chunk may be.

    :param max_jump_s: Largest distance between the present reference and the chunk, as the time
        that the joint needs for it at its largest velocity [s].
    :param max_age_s: Largest age of the observation that the chunk was made from [s].
    :param max_future_s: How far ahead of now a chunk may begin [s].
    :param position_slack: How far rows may leave the position limits; they are clipped [rad or m].
    :param velocity_slack: Share by which steps between rows may exceed the velocity limits; the
        player slows them down.
    """

    max_jump_s: float = 0.2
    max_age_s: float = 1.0
    max_future_s: float = 0.2
    position_slack: float = 1e-3
    velocity_slack: float = 0.01

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (np.isfinite(value) and value >= 0.0):
                raise ConfigError(f'{name} must be at least 0. Got {value}.')


def check_chunk(
    chunk: ActionChunk, limits: JointLimits, now: float, reference: FloatArray,
    rules: ChunkRules,
) -> Fault | None:
    """
    Return why the chunk must not be played, or None.

    :param reference: Where the joints are commanded to be now, shape (J,).
    """
    rows = chunk.positions
    # CHECK: joints are the robot's
    if chunk.joint_names != limits.names:
        return Fault(
            'wrong_joints', f'got {list(chunk.joint_names)}, expected {list(limits.names)}')
    # CHECK: there are rows of the right length, in time
    if rows.ndim != 2 or rows.shape[0] < 2 or rows.shape[1] != len(limits.names):
        return Fault(
            'malformed_chunk', f'got shape {rows.shape}, expected (2 or more, '
            f'{len(limits.names)})')
    if not (np.isfinite(chunk.stamp) and np.isfinite(chunk.dt) and chunk.dt > 0.0):
        return Fault(
            'malformed_chunk', f'times must increase; got stamp {chunk.stamp}, dt {chunk.dt}')
    # CHECK: positions are finite
    if not np.all(np.isfinite(rows)):
        return _at_worst('non_finite_action', ~np.isfinite(rows), rows, limits, 'not finite')
    # CHECK: positions are inside the limits
    outside = np.maximum(limits.lower - rows, rows - limits.upper) - rules.position_slack
    if np.any(outside > 0.0):
        return _at_worst('position_limit', outside, rows, limits, 'outside the limits')
    # CHECK: steps are inside the velocity limits
    speeds = np.abs(np.diff(rows, axis=0)) / chunk.dt
    too_fast = speeds - limits.velocity * (1.0 + rules.velocity_slack)
    if np.any(too_fast > 0.0):
        return _at_worst('velocity_limit', too_fast, speeds, limits, 'per second is too fast')
    # CHECK: it is not over
    if chunk.end <= now:
        return Fault('past_chunk', f'ended {now - chunk.end:.3f} s ago')
    # CHECK: its observation is fresh
    if now - chunk.stamp > rules.max_age_s:
        return Fault(
            'late_chunk', f'observation is {now - chunk.stamp:.3f} s old, allowed '
            f'{rules.max_age_s} s')
    # CHECK: it begins about now
    if chunk.stamp - now > rules.max_future_s:
        return Fault(
            'early_chunk', f'begins {chunk.stamp - now:.3f} s ahead, allowed '
            f'{rules.max_future_s} s')
    # CHECK: it begins where the arm is
    jump = np.abs(Motion.of(chunk).at(now) - reference)
    too_far = jump - limits.velocity * rules.max_jump_s
    if np.any(too_far > 0.0):
        column = int(np.argmax(too_far))
        joint = limits.names[column]
        return Fault(
            'jumping_action', f'joint {joint!r}: {jump[column]:.4g} away from the present '
            f'reference, allowed {limits.velocity[column] * rules.max_jump_s:.4g}', joint)
    return None


def _at_worst(
    name: str, excess: np.ndarray, values: FloatArray, limits: JointLimits, problem: str,
) -> Fault:
    row, column = np.unravel_index(int(np.argmax(excess)), excess.shape)
    joint = limits.names[column]
    return Fault(
        name, f'row {row} of joint {joint!r}: {values[row, column]:.4g} {problem}', joint)


def in_joint_order(chunk: ActionChunk, names: tuple[str, ...]) -> ActionChunk:
    """Return the chunk with its columns in that order, if it has exactly those joints."""
    same = sorted(chunk.joint_names) == sorted(names)
    if chunk.joint_names == names or not same or chunk.positions.shape[1:] != (len(names),):
        return chunk
    columns = [chunk.joint_names.index(name) for name in names]
    return ActionChunk(
        names, chunk.stamp, chunk.dt, chunk.positions[:, columns], chunk.session, chunk.episode,
        chunk.number)
