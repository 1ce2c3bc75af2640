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
Recordings on disk: a folder with ``events.jsonl`` and ``frames.mjpeg``.

``events.jsonl`` is append-only JSON Lines: one object per call of the recorder, with ``kind``,
``now`` and the arguments of the call. ``frames.mjpeg`` holds the JPEG pictures one after the
other; a ``frame`` event tells offset and length. Pictures are written before the event that
names them, so a recording that was cut off anywhere opens up to there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
import json
from pathlib import Path
from typing import Any

import numpy as np

from mem_vla_ros.core.errors import MemVlaError
from mem_vla_ros.core.states import HighLevelState, LowLevelState
from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.inspector.deliveries import Delivery
from mem_vla_ros.inspector.frame_store import FilePicture, Picture
from mem_vla_ros.inspector.recorder import Recorder

EVENTS_FILE = 'events.jsonl'
FRAMES_FILE = 'frames.mjpeg'
FORMAT = 1
HEADER = {'kind': 'recording', 'format': FORMAT}
FLUSH_INTERVAL_S = 0.5
RETRY_INTERVAL_S = 5.0
MAX_PICTURE_BYTES = 4_000_000
_JPEG_START = b'\xff\xd8'


class RecordingError(MemVlaError):
    """A recording can't be opened or begun."""


class RecordingWriter:
    """
    Appends what a recorder was told to a new recording.

    When the disk refuses, ``fault`` says why, events are dropped, and writing is tried again
    every few seconds.
    """

    def __init__(self, folder: str | Path) -> None:
        self.fault = ''
        self._folder = Path(folder)
        self._pending = b''
        self._next_flush = float('-inf')
        self._torn = False
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if (self._folder / EVENTS_FILE).exists():
                raise RecordingError(f'{self._folder} already holds a recording.')
            self._frames = (self._folder / FRAMES_FILE).open('ab', buffering=0)
            self._events = (self._folder / EVENTS_FILE).open('ab', buffering=0)
            self._events.write(json.dumps(HEADER).encode() + b'\n')
        except OSError as error:
            raise RecordingError(f'Cannot record to {self._folder}: {error.strerror}.') from error

    def write(self, kind: str, event: Mapping[str, Any], picture: Picture | None = None) -> None:
        """Append one event; it reaches the disk within half a second of the next one."""
        now = event['now']
        if self._events.closed or (self.fault and now < self._next_flush):
            return
        line = {'kind': kind, **event}
        try:
            if isinstance(picture, bytes):
                line |= {'offset': self._frames.tell(), 'length': len(picture)}
                self._frames.write(picture)
            self._pending += json.dumps(line, default=asdict).encode() + b'\n'
            if now >= self._next_flush:
                self.flush()
                self._next_flush = now + FLUSH_INTERVAL_S
        except OSError as error:
            self.fault = f'Recording paused: {error.strerror}.'
            self._pending = b''
            self._torn = True
            self._next_flush = now + RETRY_INTERVAL_S

    def flush(self) -> None:
        """Write what is pending."""
        pending = b'\n' + self._pending if self._torn else self._pending
        if self._events.write(pending) != len(pending):
            raise OSError(28, 'No space left on device')
        self._pending = b''
        self._torn = False
        self.fault = ''

    def close(self) -> None:
        """Write what is pending and end the recording; later events are dropped."""
        if self._events.closed:
            return
        try:
            self.flush()
        except OSError as error:
            self.fault = f'Recording ended early: {error.strerror}.'
        finally:
            self._events.close()
            self._frames.close()


def open_recording(path: str | Path) -> Recorder:
    """
    Return a recorder with everything that a recording holds; pictures stay on disk.

    :param path: The folder, or a file in it.
    :raises RecordingError: if there is no recording of this format.
    """
    path = Path(path)
    folder = path if path.is_dir() else path.parent
    recorder = Recorder(is_replay=True)
    for event in _read_events(folder):
        try:
            _tell(recorder, folder, event)
        except (KeyError, TypeError, ValueError, MemVlaError):
            continue  # a damaged line; the others stand for themselves
    return recorder


def _read_events(folder: Path) -> Iterator[dict[str, Any]]:
    try:
        stream = (folder / EVENTS_FILE).open('rb')
    except OSError as error:
        raise RecordingError(
            f'{folder} holds no recording: {EVENTS_FILE}: {error.strerror}.') from error
    with stream:
        header = _parse(stream.readline())
        if header is None or header.get('kind') != 'recording' or header.get('format') != FORMAT:
            raise RecordingError(
                f'{folder / EVENTS_FILE} is not a recording of format {FORMAT}. '
                f'Got header {header}.')
        for line in stream:
            event = _parse(line)
            if event is not None:
                yield event


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def _tell(recorder: Recorder, folder: Path, event: dict[str, Any]) -> None:
    kind, now = event.pop('kind'), float(event.pop('now'))
    if kind == 'high_level':
        recorder.high_level(now, HighLevelState(**event['state']))
    elif kind == 'low_level':
        recorder.low_level(now, LowLevelState(**event['state']))
    elif kind == 'chunk':
        recorder.chunk(now, ActionChunk(
            tuple(event['joint_names']), float(event['stamp']), float(event['dt']),
            np.array(event['positions'], dtype=np.float64), number=int(event['number'])))
    elif kind == 'frame':
        picture = _picture(folder / FRAMES_FILE, event['offset'], event['length'])
        recorder.frame(now, event['camera'], float(event['stamp']), picture)
    elif kind == 'inputs':
        recorder.inputs(now, [Delivery(**item) for item in event['inputs']])
    elif kind in ('goal', 'subtask', 'memory', 'joints', 'diagnostic', 'gate', 'hold', 'score',
                  'edit'):
        getattr(recorder, kind)(now, **event)


def _picture(path: Path, offset: int, length: int) -> FilePicture:
    picture = FilePicture(path, offset, length)
    if not 0 < length <= MAX_PICTURE_BYTES or offset < 0:
        raise RecordingError(f'Picture at {offset} with {length} bytes is out of range.')
    if path.stat().st_size < offset + length or not picture.read().startswith(_JPEG_START):
        raise RecordingError(f'Picture at {offset} is missing from {path.name}.')
    return picture
