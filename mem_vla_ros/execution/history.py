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
The last seconds of the robot, by header stamps.

Images and joint states come in as they are measured; an observation is drawn from them at the
moment a policy asks. Inference speed therefore does not change what the policy sees.

Nor does the order in which messages arrive: an observation is as of the newest joint state that
every camera has caught up with. Streams are in order, so nothing from before that moment can
still come, and its stamp alone tells which frames are in it. A camera is waited for no longer
than ``max_lag``; one that is slow or dead does not hold up the others.
"""

from collections.abc import Sequence
import math

import numpy as np

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.types import (
    FloatArray,
    FrameStack,
    ImageArray,
    JointStack,
    Observation,
)
from mem_vla_ros.execution.buffered_frames import BufferedFrames
from mem_vla_ros.execution.fault import Fault
from mem_vla_ros.execution.history_sampling import SamplingRule
from mem_vla_ros.execution.joint_mapping import map_joints
from mem_vla_ros.execution.resize import resize_with_padding
from mem_vla_ros.execution.stamped_buffer import StampedBuffer

JOINTS = 'joint_states'
SMALLEST_SIDE = 16
LARGEST_SIDE = 4096
# Over which time a velocity is measured [s].
VELOCITY_S = 0.1


class History:
    """
    Buffers of every camera and of the joint states, and the observations drawn from them.

    Not thread-safe; images are kept by reference and must not be changed by the caller.
    Times are sensor time [s]. ``since`` is when the episode began: earlier stamps are stale.

    :param cameras: Names of the cameras that a policy needs.
    :param joint_names: Joints in the robot file's order.
    :param frames: Frames per camera in an observation, the current one included.
    :param stride: Time between those frames [s].
    :param tolerance: Largest distance of a frame from its target; None is half a stride [s].
    :param grain: Width of a keyframe cell, see ``history_sampling``; None is a fifth of the
        stride [s].
    :param image_size: Height and width to resize to on arrival. None keeps the size of the
        first image and refuses others.
    :param max_age: Anything older is stale: refused on arrival, never the current frame [s].
    :param max_future: Stamps further ahead of now are refused [s].
    :param max_lag: How far an observation may lie before the newest joint state, waiting for
        cameras [s]; 0 never waits.
    """

    def __init__(
        self, cameras: Sequence[str], joint_names: Sequence[str], frames: int, stride: float,
        tolerance: float | None = None, grain: float | None = None,
        image_size: tuple[int, int] | None = None,
        max_age: float = 0.5, max_future: float = 0.05, max_lag: float = 0.2,
    ) -> None:
        # CHECK: something is observed
        if not cameras or not joint_names:
            raise ConfigError(
                'A history needs cameras and joints. '
                f'Got cameras {list(cameras)}, joints {list(joint_names)}.')
        # CHECK: ages are times
        if max_age <= 0.0 or max_future < 0.0 or max_lag < 0.0:
            raise ConfigError(
                f'max_age must be above 0, max_future and max_lag at least 0 seconds. '
                f'Got {max_age}, {max_future} and {max_lag}.')
        self.rule = SamplingRule.of(frames, stride, tolerance, grain)
        self.cameras = tuple(cameras)
        self.joint_names = tuple(joint_names)
        self.image_size = image_size
        self.max_age = max_age
        self.max_future = max_future
        self.max_lag = max_lag
        self.since = self._now = -math.inf
        dense_s = max_age + max_future + max_lag
        self._frames = {
            camera: StampedBuffer[ImageArray](self.rule, dense_s) for camera in self.cameras}
        self._joints = StampedBuffer[FloatArray](self.rule, dense_s)
        self._sizes: dict[str, tuple[int, int]] = {}

    def add_frame(self, camera: str, stamp: float, image: ImageArray, now: float) -> Fault | None:
        """
        Take in one image.

        :param image: RGB, uint8, shape (H, W, 3).
        :returns: Why it was refused. ``clock_jumped`` means that the buffers were cleared and
            the caller has to end the episode.
        """
        if camera not in self._frames:
            return Fault(
                'unknown_camera', f'got {camera!r}, expected {list(self.cameras)}', camera)
        fault = (
            self._check_stamp('image', self._frames[camera].newest, stamp, now, camera)
            or self._check_image(image, camera))
        if fault is None:
            size = self.image_size or self._sizes.setdefault(camera, _size(image))
            self._frames[camera].append(stamp, resize_with_padding(image, size))
        return fault

    def add_joints(
        self, stamp: float, names: Sequence[str], positions: Sequence[float] | FloatArray,
        now: float,
    ) -> Fault | None:
        """
        Take in one joint state; joints are found by name, others are ignored.

        :returns: Why it was refused, see :meth:`add_frame`.
        """
        fault = self._check_stamp('joints', self._joints.newest, stamp, now, '')
        if fault is not None:
            return fault
        ordered = map_joints(self.joint_names, names, positions)
        if isinstance(ordered, Fault):
            return ordered
        self._joints.append(stamp, ordered)
        return None

    def observe(self, now: float) -> Observation | None:
        """
        Return the observation as of the newest time that joints and all cameras have reached.

        :returns: None until joints and every camera have a current value; see :meth:`missing`.
        """
        if self.missing(now):
            return None
        stamp = self._settled()
        return Observation(
            stamp, {camera: self._stack_frames(camera, stamp) for camera in self.cameras},
            self._stack_joints(stamp), self._velocity(stamp))

    def missing(self, now: float) -> tuple[str, ...]:
        """Return the cameras, and ``joint_states``, that have no current value."""
        newest = self._joints.newest
        if newest is None or now - newest > self.max_age:
            return (JOINTS,)
        limit = min(self.max_age, self.rule.tolerance)
        silent = tuple(
            camera for camera, buffer in self._frames.items()
            if buffer.newest is None or newest - buffer.newest > limit)
        settled = self._settled()
        # What is settled lies a little back: the first joint state may be newer.
        seen = {camera: buffer.stamps for camera, buffer in self._frames.items()}
        return silent or tuple(
            name for name, stamps in (seen | {JOINTS: self._joints.stamps}).items()
            if not any(0.0 <= settled - stamp <= limit for stamp in reversed(stamps)))

    def blank(self, image_size: tuple[int, int]) -> Observation:
        """Return a black observation at time 0 without a past, to warm a policy up."""
        frames = self.rule.frames
        valid = np.arange(frames) == frames - 1
        stamps = np.where(valid, 0.0, np.nan)
        images = np.zeros((frames, *(self.image_size or image_size), 3), dtype=np.uint8)
        return Observation(
            0.0, {camera: FrameStack(images, stamps, valid) for camera in self.cameras},
            JointStack(np.zeros((frames, len(self.joint_names))), stamps, valid))

    def spacing_error(self, observation: Observation) -> float:
        """Return the largest distance of anything in it from the time it stands for [s]."""
        targets = observation.stamp - self.rule.stride * np.arange(self.rule.frames)[::-1]
        stacks: list[JointStack | FrameStack] = [observation.joints, *observation.cameras.values()]
        return max(
            float(np.abs(stack.stamps - targets)[stack.valid].max(initial=0.0))
            for stack in stacks)

    def clock_jumped(self) -> Fault:
        """Forget everything, because time was set; the caller ends the episode."""
        self._now = -math.inf
        self.reset()
        return Fault('clock_jumped', 'time was set; the history is empty')

    def reset(self) -> None:
        """Forget the episode; whatever was measured up to now is not part of the next one."""
        self.since = self._now
        self._joints.clear()
        for buffer in self._frames.values():
            buffer.clear()
        self._sizes.clear()

    def _settled(self) -> float:
        """Return the time up to which joints and all cameras have arrived, within the lag."""
        newest = self._joints.newest
        assert newest is not None
        reached = min(-math.inf if buffer.newest is None else buffer.newest
                      for buffer in self._frames.values())
        return min(newest, max(reached, newest - self.max_lag))

    def _check_stamp(
        self, what: str, newest: float | None, stamp: float, now: float, source: str,
    ) -> Fault | None:
        # CHECK: time runs forward
        if now < self._now - self.max_future:
            back = self._now - now
            self.clock_jumped()
            self._now = now
            return Fault('clock_jumped', f'time went back by {back:.3f} s; the history is empty')
        self._now = max(now, self._now)
        # CHECK: stamp is not in the future
        if not stamp <= now + self.max_future:
            return Fault(
                f'future_{what}', f'stamp is {stamp - now:.3f} s ahead, '
                f'allowed {self.max_future} s', source)
        # CHECK: stamp is not stale
        if now - stamp > self.max_age:
            return Fault(
                f'stale_{what}', f'stamp is {now - stamp:.3f} s old, allowed {self.max_age} s',
                source)
        if stamp < self.since:
            return Fault(
                f'stale_{what}', f'stamp is {self.since - stamp:.3f} s before the episode',
                source)
        # CHECK: stamps increase
        if newest is not None and stamp == newest:
            return Fault(f'duplicate_{what}', f'stamp {stamp:.6f} again', source)
        if newest is not None and stamp < newest:
            return Fault(
                f'out_of_order_{what}', f'stamp is {newest - stamp:.3f} s before the newest',
                source)
        return None

    def _check_image(self, image: ImageArray, camera: str) -> Fault | None:
        # CHECK: image is RGB of bytes
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
            return Fault(
                'malformed_image',
                f'got {image.dtype} {image.shape}, expected uint8 (H, W, 3)', camera)
        # CHECK: sides are sane
        if not all(SMALLEST_SIDE <= side <= LARGEST_SIDE for side in image.shape[:2]):
            return Fault(
                'wrong_image_size', f'got {image.shape[1]}x{image.shape[0]}, allowed '
                f'{SMALLEST_SIDE} to {LARGEST_SIDE} pixels a side', camera)
        # CHECK: size stays
        expected = self._sizes.get(camera)
        if expected is not None and _size(image) != expected:
            return Fault(
                'wrong_image_size', f'got {image.shape[1]}x{image.shape[0]}, expected '
                f'{expected[1]}x{expected[0]}; image_size would resize', camera)
        return None

    def _stack_frames(self, camera: str, stamp: float) -> FrameStack:
        buffer = self._frames[camera]
        sampling = buffer.sample(stamp)
        return BufferedFrames(
            [buffer[index] if index >= 0 else None for index in sampling.indices],
            _stamps_at(buffer.stamps, sampling.indices), sampling.valid)

    def _velocity(self, stamp: float) -> FloatArray:
        """Return how fast the joints moved in the last moment; 0 without a past."""
        stamps = np.array(self._joints.stamps)
        newest = int(np.searchsorted(stamps, stamp, side='right')) - 1
        before = int(np.abs(stamps[:newest + 1] - (stamps[newest] - VELOCITY_S)).argmin())
        passed = stamps[newest] - stamps[before]
        if not 0.0 < passed <= 2 * VELOCITY_S:
            return np.zeros(len(self.joint_names))
        velocity: FloatArray = (self._joints[newest] - self._joints[before]) / passed
        return velocity

    def _stack_joints(self, stamp: float) -> JointStack:
        indices = self._joints.sample(stamp).indices
        positions = np.zeros((len(indices), len(self.joint_names)))
        for row, index in zip(positions, indices, strict=True):
            if index >= 0:
                row[:] = self._joints[index]
        return JointStack(positions, _stamps_at(self._joints.stamps, indices), indices >= 0)


def _size(image: ImageArray) -> tuple[int, int]:
    return image.shape[0], image.shape[1]


def _stamps_at(stamps: Sequence[float], indices: np.ndarray) -> FloatArray:
    return np.array([stamps[index] if index >= 0 else np.nan for index in indices])
