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

"""Training episodes from a bag: everything on one even grid of time steps."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from mem_vla_ros.core.robot import Robot
from mem_vla_ros.core.types import FloatArray, ImageArray
from mem_vla_ros.evaluation.bag_errors import BagError
from mem_vla_ros.evaluation.bag_events import FrameEvent
from mem_vla_ros.evaluation.bag_reader import BagReader
from mem_vla_ros.evaluation.bag_storage import BagStorage
from mem_vla_ros.evaluation.bag_topics import CAMERA
from mem_vla_ros.evaluation.recorded_episode import read_episodes, RecordedEpisode
from mem_vla_ros.evaluation.text_timeline import TextTimeline
from mem_vla_ros.execution.resize import resize_with_padding
from mem_vla_ros.training.episode import Episode

# A step needs a frame that is at most this old [s].
_OLDEST_FRAME_S = 0.5


class _Frames:
    """Frames of one camera, one for each step."""

    def __init__(self, times: FloatArray, size: tuple[int, int] | None) -> None:
        self._times = times
        self._size = size
        self.images: list[ImageArray | None] = [None] * len(times)
        self.stamps = np.full(len(times), -np.inf)

    def add(self, stamp: float, image: ImageArray) -> None:
        """Take a frame for every step from its stamp on for which it is the newest."""
        first = int(np.searchsorted(self._times, stamp - 1e-6))
        last = int(np.searchsorted(self._times, stamp + _OLDEST_FRAME_S, side='right'))
        steps = [step for step in range(first, last) if self.stamps[step] < stamp]
        if not steps:
            return
        resized = resize_with_padding(image, self._size or image.shape[:2])
        for step in steps:
            self.images[step], self.stamps[step] = resized, stamp


def episodes_of_bag(
    path: Path, robot: Robot, dt: float = 0.1, image_size: int = 0,
    remaps: Mapping[str, str] | None = None,
) -> Iterator[Episode]:
    """
    Yield the episodes of a bag.

    Steps without a current frame of every camera, or without a known motion, are cut off at both
    ends.

    :param dt: Time between steps [s].
    :param image_size: Side that images are resized to [px]; 0 keeps them.
    :raises BagError: if inputs are missing, or if frames are missing in the middle of an episode.
    """
    with BagStorage(path) as storage:
        reader = BagReader(storage, robot, remaps)
        if reader.topics.missing_inputs:
            raise BagError(
                f'{path.name!r} cannot be converted: {"; ".join(reader.topics.missing_inputs)}.')
        for index, recorded in enumerate(read_episodes(reader)):
            yield _episode(reader, recorded, dt, image_size, f'{path.name}#{index}')
        if storage.damage:
            raise BagError(
                f'{path.name!r} is damaged, later episodes may be missing: '
                f'{"; ".join(storage.damage)}')


def _episode(
    reader: BagReader, recorded: RecordedEpisode, dt: float, image_size: int, name: str,
) -> Episode:
    times = np.arange(recorded.trace.start, recorded.trace.end, dt)
    joints, known = recorded.references['joint_states'].at(times)
    wanted = recorded.references.get('command') or recorded.references['joint_states']
    actions, planned = wanted.at(times + dt)
    frames = _read_frames(reader, recorded, times, image_size)
    seen = np.all([np.isfinite(item.stamps) for item in frames.values()], axis=0)
    steps = np.flatnonzero(seen & known & planned)
    if len(steps) < 2:
        raise BagError(
            f'{name} has {len(steps)} steps with frames of all cameras and a known motion; '
            'at least 2 are needed.')
    inside = np.arange(steps[0], steps[-1] + 1)
    if len(inside) != len(steps):
        lost = times[np.setdiff1d(inside, steps)[0]]
        raise BagError(
            f'{name}: frames or joint states are missing in the middle, first at {lost:.3f} s.')
    subtasks, memories = _texts(recorded, times[inside])
    return Episode(
        times=times[inside],
        images={camera: np.stack([item.images[step] for step in inside])
                for camera, item in frames.items()},
        joints=joints[inside], actions=actions[inside], subtasks=subtasks, memories=memories,
        goal=recorded.goal or reader.storage.custom.get('goal', ''), task=reader.robot.name)


def _read_frames(
    reader: BagReader, recorded: RecordedEpisode, times: FloatArray, image_size: int,
) -> dict[str, _Frames]:
    size = (image_size, image_size) if image_size else None
    frames = {camera: _Frames(times, size) for camera in reader.robot.camera_names}
    for event in reader.events([part for part in reader.topics.topics
                                if part.startswith(CAMERA)]):
        if isinstance(event, FrameEvent) and (
                recorded.trace.start <= event.time <= recorded.trace.end):
            frames[event.camera].add(event.stamp, event.image)
    return frames


def _texts(recorded: RecordedEpisode, times: FloatArray) -> tuple[list[str], list[str]]:
    """Return subtask and memory at each step: annotated, else decided, else published."""
    end = float(times[-1]) + 1.0
    states = recorded.trace.high_level
    if recorded.annotations.subtasks:
        subtasks = [(span.start, span.text) for span in recorded.annotations.subtasks]
    elif states:
        subtasks = [(state.stamp + state.latency_s, state.subtask) for state in states]
    else:
        subtasks = [(event.time, event.text) for event in recorded.texts
                    if event.part == 'subtask']
    memories = [(state.stamp + state.latency_s, state.memory) for state in states]
    return _at(TextTimeline(subtasks, end), times), _at(TextTimeline(memories, end), times)


def _at(timeline: TextTimeline, times: FloatArray) -> list[str]:
    starts = [span.start for span in timeline.spans]
    places = np.searchsorted(starts, times, side='right') - 1
    return [timeline.spans[place].text if place >= 0 else '' for place in places]
