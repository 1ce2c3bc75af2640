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

"""Frames in an mp4 file, written one after the other and read by time."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from mem_vla_ros.core.errors import MemVlaError
from mem_vla_ros.core.types import ImageArray

CODEC = 'h264'
PIXEL_FORMAT = 'yuv420p'
# Nearly lossless, and a key frame every other frame, so that any frame is found quickly.
_OPTIONS = {'crf': '16', 'g': '2', 'preset': 'veryfast'}


class VideoRejected(MemVlaError):  # noqa: N818
    """A video file cannot be written or read."""


class VideoWriter:
    """
    Encodes frames at a fixed rate.

    :param size: Height and width [px], both even.
    :raises VideoRejected: if the size is odd.
    """

    def __init__(self, path: Path, fps: int, size: tuple[int, int]) -> None:
        height, width = size
        if height % 2 or width % 2:
            raise VideoRejected(f'Video needs even sides. Got {width}x{height}.')
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.frames = 0
        self._fps = fps
        self._container = av.open(str(path), 'w')
        self._stream: Any = self._container.add_stream(CODEC, rate=fps, options=_OPTIONS)
        self._stream.width, self._stream.height = width, height
        self._stream.pix_fmt = PIXEL_FORMAT
        self._stream.time_base = Fraction(1, fps)

    @property
    def seconds(self) -> float:
        """Return how much has been written [s]."""
        return self.frames / self._fps

    def write(self, images: ImageArray) -> None:
        """Append frames, shape (T, H, W, 3), RGB."""
        for image in images:
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format='rgb24')
            frame.pts = self.frames
            frame.time_base = Fraction(1, self._fps)
            self._container.mux(self._stream.encode(frame))
            self.frames += 1

    def close(self) -> None:
        """Finish the file."""
        self._container.mux(self._stream.encode())
        self._container.close()


def read_frames(path: Path, start: float, count: int, fps: float) -> ImageArray:
    """
    Return frames from a time on, shape (count, H, W, 3), RGB.

    :param start: Time of the first frame [s].
    :raises VideoRejected: if the file does not open or has less frames.
    """
    tolerance = 0.5 / fps
    frames: list[ImageArray] = []
    try:
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            assert stream.time_base is not None
            container.seek(
                max(0, int((start - tolerance) / stream.time_base)), stream=stream)
            for frame in container.decode(stream):
                if frame.time is not None and frame.time >= start - tolerance:
                    frames.append(frame.to_ndarray(format='rgb24'))
                if len(frames) == count:
                    break
    except (av.error.FFmpegError, IndexError, OSError) as error:
        raise VideoRejected(f'Video {str(path)!r} cannot be read: {error}') from error
    if len(frames) < count:
        raise VideoRejected(
            f'Video {str(path)!r} has {len(frames)} frames from {start:.3f} s on, '
            f'expected {count}.')
    return np.stack(frames)
