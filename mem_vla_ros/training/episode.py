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
One recorded episode, whatever it was read from: our own files, a bag, or a LeRobot data set.

::

    Episode
    |- times     (T,)           float64 [s], about evenly spaced
    |- images    camera -> (T, H, W, 3) uint8 RGB; may be memory-mapped
    |- joints    (T, J)         measured positions [rad or m]
    |- actions   (T, J)         row t is the reference wanted one step after row t
    |- subtasks  (T,)           right subtask at each step; empty where nobody said
    |- memories  (T,)           right language memory at each step
    |- told      (T,)           subtask that was heard last, by which the arm is driven
    |- kept      (T,)           memory that was kept with it; None, both: as if always heard
    |- failed    (T,)           True where an attempt has just failed and the same subtask is said
    |                           again; None: nowhere
    |- taught    (T,)           False where the action shall be seen but not learned; None: all
    `- goal, task, seed
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mem_vla_ros.core.types import BoolArray, FloatArray, ImageArray


@dataclass(frozen=True)
class Episode:
    """What a demonstration holds, in plain arrays."""

    times: FloatArray
    images: Mapping[str, ImageArray]
    joints: FloatArray
    actions: FloatArray
    subtasks: Sequence[str]
    memories: Sequence[str]
    goal: str
    task: str = ''
    seed: int = 0
    taught: BoolArray | None = None
    told: Sequence[str] | None = None
    kept: Sequence[str] | None = None
    failed: BoolArray | None = None

    def __len__(self) -> int:
        return len(self.times)

    def references(self, step: int, rows: int, end: int | None = None) -> FloatArray:
        """
        Return where the reference stands at a step and at the ``rows - 1`` steps after it.

        Row 0 was wanted by the step before; at the start the joints themselves stand for it.
        After the end the last action is kept. Shape (rows, J).

        :param end: Step whose action is the first that does not count; None: that of the episode.
        """
        wanted = np.concatenate([self.joints[:1], self.actions])
        return wanted[self._rows(step, rows, end)]

    @property
    def driven_by(self) -> Sequence[str]:
        """Return the subtask that the arm carries out at each step."""
        return self.subtasks if self.told is None else self.told

    def end_of_subtask(self, step: int) -> int:
        """Return the first step after this one at which the arm carries out another subtask."""
        others = (index for index in range(step + 1, len(self))
                  if self.driven_by[index] != self.driven_by[step])
        return next(others, len(self))

    def velocity(self, step: int) -> FloatArray:
        """Return how fast the joints have just moved [rad or m per s], shape (J,)."""
        if step == 0:
            return np.zeros(self.joints.shape[1])
        passed = self.times[step] - self.times[step - 1]
        moved = self.joints[step].astype(np.float64) - self.joints[step - 1]
        return moved / passed if passed > 0 else np.zeros_like(moved)

    def rows_taught(self, step: int, rows: int, end: int | None = None) -> BoolArray:
        """Return which of :meth:`references`' rows shall be learned, shape (rows,)."""
        if self.taught is None:
            return np.ones(rows, dtype=bool)
        wanted = np.concatenate([self.taught[:1], self.taught])
        return wanted[self._rows(step, rows, end)]

    def _rows(self, step: int, rows: int, end: int | None) -> NDArray[np.intp]:
        return np.minimum(step + np.arange(rows), len(self.actions) if end is None else end)


class EpisodeSource(Protocol):
    """A set of episodes that can be read in any order."""

    def __len__(self) -> int:
        """Return how many there are."""
        ...

    def __getitem__(self, index: int) -> Episode:
        """Return one of them."""
        ...

    def task_of(self, index: int) -> str:
        """Return the task of one of them, without reading it."""
        ...

    def texts(self) -> Iterator[str]:
        """Return every goal, subtask and memory once, for the tokenizer."""
        ...
