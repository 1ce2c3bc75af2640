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
What both policies tell about every step: the JSON objects on ``hl_state`` and ``ll_state``.

They are provenance: which observation, which memory and which episode led to what, and how long
it took. The inspector, the recordings and the bag evaluation read nothing else.
"""

from dataclasses import asdict, dataclass, field, fields
import json
import math
from typing import Any, Self

from mem_vla_ros.core.errors import MemVlaError


class StateRejected(MemVlaError):  # noqa: N818
    """A state message is not the JSON object that its schema describes."""


class _JsonState:
    """JSON in and out for a flat dataclass of plain values."""

    def to_json(self) -> str:
        """Return one JSON object on one line; times that are NaN become null."""
        return json.dumps(_without_nan(asdict(self)), allow_nan=False)  # type: ignore[call-overload]

    @classmethod
    def from_json(cls, text: str) -> Self:
        """
        Read the object back; unknown keys are ignored, so that newer writers can be read.

        :raises StateRejected: if it is not JSON, not an object, or lacks a key.
        """
        try:
            document = json.loads(text)
        except ValueError as error:
            raise StateRejected(f'{cls.__name__} is not JSON: {error}') from error
        if not isinstance(document, dict):
            raise StateRejected(f'{cls.__name__} must be a JSON object. Got {text[:40]!r}.')
        names = {item.name for item in fields(cls)}  # type: ignore[arg-type]
        try:
            return cls(**{name: value for name, value in document.items() if name in names})
        except TypeError as error:
            raise StateRejected(f'{cls.__name__}: {error}') from error


@dataclass(frozen=True)
class HighLevelState(_JsonState):
    """
    One step of the high-level policy.

    :param step: Counts the decisions of this episode from 0.
    :param stamp: Sensor time of the observation [s].
    :param status: ``ok``; or why memory and subtask stayed: ``malformed``, ``oversized``,
        ``failed``; or ``reset``, ``goal``, ``edit``, ``rollback``, ``restored`` for changes that
        no policy decided.
    :param source: Backend name, or ``person`` for an edit.
    :param memory_version: Grows by one with every change of the memory.
    """

    episode: str
    step: int
    stamp: float
    goal: str
    previous_subtask: str
    subtask: str
    previous_memory: str
    memory: str
    memory_version: int
    status: str
    source: str
    latency_s: float = 0.0
    prompt_chars: int = 0
    memory_mode: str = 'language'
    error: str = ''


@dataclass(frozen=True)
class LowLevelState(_JsonState):
    """
    One action chunk and what it was made from.

    :param session: Random name of this start of the node.
    :param chunk: Counts the chunks of this session from 0.
    :param stamp: Sensor time of row 0 of the chunk [s].
    :param frame_stamps: Camera name -> stamps of its K frames, oldest first, null where padded.
    :param joint_stamps: The same for the K joint states.
    :param spacing_error_s: Largest distance of a frame from the time it stands for.
    :param stride: Time between two frames that the policy asked for [s]; 0 if not told.
    :param grain: Width of a keyframe cell of the history [s]; 0 if not told.
    :param since: Begin of the episode, before which nothing is seen [s]; None if open.
    :param delay_steps: Rows of the running chunk that were executed during inference.
    :param forecast_delay_steps: How many of them had been expected and frozen.
    """

    session: str
    episode: str
    chunk: int
    stamp: float
    dt: float
    rows: int
    goal: str
    subtask: str
    frame_stamps: dict[str, list[float | None]] = field(default_factory=dict)
    joint_stamps: list[float | None] = field(default_factory=list)
    spacing_error_s: float = 0.0
    delay_steps: int = 0
    forecast_delay_steps: int = 0
    chunking: str = 'hard'
    status: str = 'ok'
    error: str = ''
    timings_s: dict[str, float] = field(default_factory=dict)
    stride: float = 0.0
    grain: float = 0.0
    since: float | None = None


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(item) for item in value]
    return value
