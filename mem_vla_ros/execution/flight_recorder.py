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
"""The last chunks and what became of them, written down when the executor faults."""

from collections import deque
import json
import math
from pathlib import Path
from typing import Any

from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.execution.fault import Fault


class FlightRecorder:
    """
    A ring buffer of chunks with their verdicts.

    :param size: How many chunks are kept.
    """

    def __init__(self, size: int = 20) -> None:
        self._entries: deque[dict[str, Any]] = deque(maxlen=size)

    def add(self, now: float, chunk: ActionChunk | None, fault: Fault | None) -> None:
        """
        Keep one chunk.

        :param chunk: None if the message could not be read as one.
        :param fault: Why it was refused; None if it was taken.
        """
        entry: dict[str, Any] = {
            'received': now, 'verdict': 'taken' if fault is None else str(fault)}
        if chunk is not None:
            entry |= {
                'session': chunk.session, 'episode': chunk.episode, 'number': chunk.number,
                'joints': list(chunk.joint_names), 'stamp': _plain(chunk.stamp),
                'dt': _plain(chunk.dt),
                'positions': [[_plain(value) for value in row] for row in chunk.positions]}
        self._entries.append(entry)

    def dump(self, folder: Path, now: float, causes: tuple[str, ...]) -> Path:
        """
        Write everything that is kept to a JSON file in the folder, and return its path.

        :raises OSError: if it cannot be written.
        """
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f'fault-{now:.3f}.json'
        document = {'time': now, 'causes': list(causes), 'chunks': list(self._entries)}
        path.write_text(json.dumps(document, indent=1, allow_nan=False), encoding='utf-8')
        return path


def _plain(value: float) -> float | str:
    """Return the number; JSON has no word for one that is not finite."""
    return float(value) if math.isfinite(value) else str(float(value))
