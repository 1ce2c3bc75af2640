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

"""An action chunk from the plain fields of a trajectory message, checked."""

from collections.abc import Sequence

import numpy as np

from mem_vla_ros.core.errors import MemVlaError
from mem_vla_ros.core.types import ActionChunk, FloatArray


class MessageRejected(MemVlaError):  # noqa: N818
    """A message contradicts itself or its documentation."""


def chunk_from_fields(
    joint_names: tuple[str, ...], stamp: float, frame_id: str, offsets: FloatArray,
    rows: Sequence[Sequence[float] | FloatArray],
) -> ActionChunk:
    """
    Return the chunk.

    :param frame_id: ``session/episode/number``.
    :param offsets: ``time_from_start`` of each row [s].
    :raises MessageRejected: if the rows differ in length or are not evenly spaced in time.
    """
    session, _, rest = frame_id.partition('/')
    episode, _, number = rest.rpartition('/')
    if len(rows) < 2:
        raise MessageRejected(f'A chunk needs at least 2 points. Got {len(rows)}.')
    steps = np.diff(offsets)
    if offsets[0] != 0.0 or np.any(steps <= 0) or np.ptp(steps) > 1e-6:
        raise MessageRejected(
            'time_from_start must begin at 0 and grow by equal steps. '
            f'Got {np.round(offsets, 4).tolist()}.')
    lengths = {len(row) for row in rows}
    if lengths != {len(joint_names)}:
        raise MessageRejected(
            f'Every point needs {len(joint_names)} positions. Got {sorted(lengths)}.')
    return ActionChunk(
        joint_names=joint_names, stamp=stamp, dt=float(steps[0]),
        positions=np.array(rows, dtype=np.float64), session=session, episode=episode,
        number=int(number) if number.isdigit() else 0)
