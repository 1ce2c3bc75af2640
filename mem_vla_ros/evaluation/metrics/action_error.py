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

"""How far the chunks are from what the robot really did, per joint and per step ahead."""

from dataclasses import dataclass

import numpy as np

from mem_vla_ros.core.limits import JointLimits
from mem_vla_ros.core.types import ActionChunk, FloatArray
from mem_vla_ros.evaluation.reference import Reference
from mem_vla_ros.evaluation.run_trace import RunTrace


@dataclass(frozen=True)
class ActionError:
    """
    Errors over all chunks of an episode; row 0 is left out, as it is where the arm stands.

    :param per_joint: Mean absolute error, shape (J,) [rad or m].
    :param per_joint_rmse: Root mean square error, shape (J,) [rad or m].
    :param per_step: Mean absolute error by step ahead, normalised, shape (T - 1,).
    :param mae: Mean absolute error, each joint in parts of its range.
    :param rmse: Root mean square error, each joint in parts of its range.
    """

    mae: float
    rmse: float
    per_joint: FloatArray
    per_joint_rmse: FloatArray
    per_step: FloatArray


def action_error(
    trace: RunTrace, reference: Reference, limits: JointLimits,
) -> ActionError | None:
    """
    Compare every chunk with the reference at the due times of its rows.

    :returns: None if no row falls into a time where the reference is known.
    """
    errors = [_errors(answer.chunk, reference, limits) for answer in trace.chunks]
    if not errors:
        return None
    longest = max(len(item) for item in errors)
    stacked = np.full((len(errors), longest, len(limits.names)), np.nan)
    for row, item in zip(stacked, errors, strict=True):
        row[:len(item)] = item
    if np.all(np.isnan(stacked)):
        return None
    normalised = stacked / (limits.upper - limits.lower)
    known_steps = ~np.all(np.isnan(normalised), axis=(0, 2))
    per_step = np.full(longest, np.nan)
    per_step[known_steps] = np.nanmean(np.abs(normalised[:, known_steps]), axis=(0, 2))
    return ActionError(
        mae=float(np.nanmean(np.abs(normalised))),
        rmse=float(np.sqrt(np.nanmean(normalised**2))),
        per_joint=np.nanmean(np.abs(stacked), axis=(0, 1)),
        per_joint_rmse=np.sqrt(np.nanmean(stacked**2, axis=(0, 1))),
        per_step=per_step)


def _errors(chunk: ActionChunk, reference: Reference, limits: JointLimits) -> FloatArray:
    """Return target minus reference of rows 1 and up, NaN where unknown, shape (T - 1, J)."""
    order = [
        chunk.joint_names.index(name) if name in chunk.joint_names else -1
        for name in limits.names]
    expected, known = reference.at(chunk.times[1:])
    errors = chunk.positions[1:, order] - expected
    errors[~known] = np.nan
    errors[:, [index for index, place in enumerate(order) if place < 0]] = np.nan
    return errors
