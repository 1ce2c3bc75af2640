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
Small camera pictures: the last seconds of every camera, and the clips that a policy really saw.

Which frames the low-level policy will have used is known only when its state arrives, so every
frame is held for as long as a clip reaches back. Of those, one clip a second is kept.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import itertools
from pathlib import Path
import secrets

from mem_vla_ros.inspector.track import Track

KEEP_EVERY_S = 1.0
MAX_CLIPS = 8000
#: Frames are held this long at least, and until a clip has shown how far back it reaches.
DEFAULT_REACH_S = 60.0
MARGIN_S = 5.0
MAX_HELD_BYTES = 48_000_000


@dataclass(frozen=True)
class FilePicture:
    """A JPEG picture inside a file of a recording."""

    path: Path
    offset: int
    length: int

    def read(self) -> bytes:
        """Return the JPEG bytes; empty if the file is gone."""
        try:
            with self.path.open('rb') as stream:
                stream.seek(self.offset)
                return stream.read(self.length)
        except OSError:
            return b''


Picture = bytes | FilePicture


@dataclass(frozen=True)
class Frame:
    """One picture with the number by which it can be asked for."""

    number: int
    camera: str
    stamp: float
    picture: Picture

    @property
    def size(self) -> int:
        """Return the bytes that it occupies in memory."""
        return len(self.picture) if isinstance(self.picture, bytes) else 0


@dataclass(frozen=True)
class Clip:
    """
    What the low-level policy saw for one chunk.

    :param time: When its state arrived.
    :param stamp: Sensor time of the observation, from which the frames' ages count.
    :param stamps: Camera name -> stamps of its K frames, oldest first, None where padded.
    :param frames: The same with frames, None where padded or not held any more.
    """

    time: float
    stamp: float
    stamps: Mapping[str, tuple[float | None, ...]]
    frames: Mapping[str, tuple[Frame | None, ...]]


class FrameStore:
    """The last seconds of every camera in full, and clips of the past within a byte budget."""

    def __init__(self, budget_bytes: int) -> None:
        self._budget_bytes = budget_bytes
        # Numbers of two starts of the inspector must not meet in a browser's cache.
        self._numbers = itertools.count(secrets.randbelow(1 << 40))
        self._held: dict[str, OrderedDict[int, Frame]] = {}
        self._newest: dict[str, Frame] = {}
        self._held_bytes = 0
        self._reach_s = DEFAULT_REACH_S
        self._clips: Track[Clip] = Track(MAX_CLIPS)
        self._newest_clip: Clip | None = None
        self._kept: dict[int, list[Frame]] = {}
        self._kept_bytes = 0

    @property
    def stored_bytes(self) -> int:
        """Return the bytes of all pictures in memory."""
        return self._held_bytes + self._kept_bytes

    def add(self, camera: str, stamp: float, picture: Picture) -> None:
        """Hold a picture of a camera; a second one of the same stamp is dropped."""
        held = self._held.setdefault(camera, OrderedDict())
        if _key(stamp) in held:
            return
        frame = Frame(next(self._numbers), camera, stamp, picture)
        held[_key(stamp)] = frame
        self._held_bytes += frame.size
        if camera not in self._newest or self._newest[camera].stamp < stamp:
            self._newest[camera] = frame
        while len(held) > 1 and self._is_too_old(next(iter(held.values())), stamp):
            _, oldest = held.popitem(last=False)
            self._held_bytes -= oldest.size

    def newest(self) -> dict[str, Frame]:
        """Return the newest frame of every camera."""
        return dict(self._newest)

    def see(
        self, time: float, stamp: float, stamps: Mapping[str, Sequence[float | None]],
    ) -> list[Frame]:
        """
        Take note of what the low-level policy saw.

        :return: The frames that are kept for good from now on.
        """
        clip = Clip(time, stamp, {name: tuple(row) for name, row in stamps.items()}, {
            name: tuple(self._find(name, frame_stamp) for frame_stamp in row)
            for name, row in stamps.items()})
        self._newest_clip = clip
        self._learn_reach(clip)
        last = self._clips.last
        if last is not None and time < last.time + KEEP_EVERY_S:
            return []
        return self._keep(clip)

    def clip_at(self, time: float) -> Clip | None:
        """
        Return the newest clip that is not after the time.

        A recording holds the frames of kept clips alone: the very newest one may lack most of its
        own there, and then the one that was kept before it says more.
        """
        kept, newest = self._clips.at(time), self._newest_clip
        if newest is None or newest.time > time:
            return kept
        return kept if kept is not None and _missing(kept) < _missing(newest) else newest

    def kept(self) -> list[Frame]:
        """Return every frame that is kept for good, in order of time."""
        frames = [references[0] for references in self._kept.values()]
        return sorted(frames, key=lambda frame: frame.stamp)

    def jpeg(self, number: int) -> bytes | None:
        """Return the JPEG bytes of a frame; None if it is not stored."""
        if number in self._kept:
            return _bytes_of(self._kept[number][0].picture)
        for held in self._held.values():
            for frame in reversed(held.values()):
                if frame.number == number:
                    return _bytes_of(frame.picture)
        return None

    def _is_too_old(self, frame: Frame, newest: float) -> bool:
        return (frame.stamp < newest - self._reach_s - MARGIN_S
                or self._held_bytes > MAX_HELD_BYTES)

    def _find(self, camera: str, stamp: float | None) -> Frame | None:
        if stamp is None or camera not in self._held:
            return None
        return self._held[camera].get(_key(stamp))

    def _learn_reach(self, clip: Clip) -> None:
        stamps = [stamp for row in clip.stamps.values() for stamp in row if stamp is not None]
        padded = any(stamp is None for row in clip.stamps.values() for stamp in row)
        if stamps and not padded:
            self._reach_s = clip.time - min(stamps)

    def _keep(self, clip: Clip) -> list[Frame]:
        new = []
        for frame in _frames_of(clip):
            references = self._kept.setdefault(frame.number, [])
            if not references:
                new.append(frame)
                self._kept_bytes += frame.size
            references.append(frame)
        self._release(self._clips.append(clip.time, clip))
        while self._kept_bytes > self._budget_bytes and len(self._clips) > 2:
            self._release(self._clips.shrink())
        return new

    def _release(self, clips: list[Clip]) -> None:
        for clip in clips:
            for frame in _frames_of(clip):
                references = self._kept[frame.number]
                references.pop()
                if not references:
                    del self._kept[frame.number]
                    self._kept_bytes -= frame.size


def _frames_of(clip: Clip) -> list[Frame]:
    return [frame for row in clip.frames.values() for frame in row if frame is not None]


def _missing(clip: Clip) -> int:
    seen = sum(stamp is not None for row in clip.stamps.values() for stamp in row)
    return seen - len(_frames_of(clip))


def _key(stamp: float) -> int:
    return round(stamp * 1e6)


def _bytes_of(picture: Picture) -> bytes:
    return picture if isinstance(picture, bytes) else picture.read()
