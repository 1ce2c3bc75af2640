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
An invented run of a robot, for tests, screenshots and a first look at the page.

Nothing here is measured: the story, the joints and the pictures are made up from the time alone,
so that every start gives the same run.
"""

from dataclasses import dataclass
import json
import math

import cv2
import numpy as np

from mem_vla_ros.core.states import HighLevelState, LowLevelState
from mem_vla_ros.core.types import ActionChunk, FloatArray
from mem_vla_ros.inspector.recorder import Recorder

GOAL = 'Put the groceries away, then wipe the counter'
CAMERAS = ('base', 'left_wrist', 'right_wrist', 'rear')
JOINTS = ('joint_1', 'joint_2', 'joint_3', 'joint_4', 'joint_5', 'joint_6', 'gripper')
FRAMES = 6
STRIDE_S = 1.0
DT_S = 0.1
ROWS = 16
PICTURE_PX = 128

_TICK_S = 0.05
_DECISION_TICKS = 20
_CHUNK_TICKS = 8
_CAMERA_TICKS = 2
_THINKING_ROWS = 2


@dataclass(frozen=True)
class Scene:
    """A subtask, how long it takes, and the memory once it is over."""

    subtask: str
    duration_s: float
    memory: str


STORY = (
    Scene('open the fridge', 7.0, 'I opened the fridge.'),
    Scene('put the milk into the fridge', 9.0,
          'I opened the fridge and put the milk on its middle shelf.'),
    Scene('put the eggs into the fridge', 8.0,
          'I opened the fridge and put the milk and the eggs on its middle shelf.'),
    Scene('pick up the green apple', 6.0,
          'I opened the fridge and put the milk and the eggs on its middle shelf. '
          'My first grasp of the green apple slipped.'),
    Scene('move the arm back', 4.0,
          'I opened the fridge and put the milk and the eggs on its middle shelf. '
          'My first grasp of the green apple slipped.'),
    Scene('pick up the green apple', 7.0,
          'The fridge is open, milk and eggs are in it. I hold the green apple.'),
    Scene('put the apple into the fruit bowl', 6.0,
          'The fridge is open, milk and eggs are in it. The apple is in the fruit bowl.'),
    Scene('close the fridge', 7.0,
          'Milk and eggs are in the closed fridge. The apple is in the fruit bowl.'),
    Scene('open the left cupboard', 6.0,
          'Milk and eggs are in the closed fridge. The apple is in the fruit bowl. '
          'The left cupboard is open.'),
    Scene('put the two cereal boxes into the cupboard', 12.0,
          'All food is put away: fridge closed, fruit bowl and left cupboard filled. '
          'The left cupboard is open.'),
    Scene('close the left cupboard', 6.0, 'All food is put away, everything is closed.'),
    Scene('pick up the sponge', 6.0, 'All food is put away. I hold the sponge.'),
    Scene('wipe the counter', 14.0,
          'All food is put away. I wiped the left half of the counter with the sponge.'),
    Scene('put the sponge into the sink', 5.0, 'All food is put away, the counter is clean.'),
)
STORY_S = sum(scene.duration_s for scene in STORY)


class DemoRun:
    """
    Tells a recorder the story, in order, as far as time has come.

    :ivar is_detailed: Tell cameras, joints and chunks too, not only the texts.
    """

    def __init__(self, recorder: Recorder, start: float = 0.0, is_detailed: bool = True) -> None:
        self.is_detailed = is_detailed
        self._recorder = recorder
        self._start = start
        self._tick = 0
        self._step = 0
        self._version = 0
        self._subtask = ''
        self._memory = ''
        self._chunk = 0

    def advance(self, now: float) -> None:
        """Tell everything up to the time."""
        while self._start + self._tick * _TICK_S <= now:
            self._tell(self._start + self._tick * _TICK_S)
            self._tick += 1

    def _tell(self, now: float) -> None:
        elapsed = now - self._start
        if self._tick == 0:
            self._recorder.goal(now, GOAL)
            self._recorder.gate(now, 'OK', '')
        if self._tick % _DECISION_TICKS == 0:
            self._decide(now, elapsed)
            self._report_health(now, elapsed)
        if not self.is_detailed:
            return
        self._recorder.joints(now, now, JOINTS, (joints_at(elapsed) + _wobble(elapsed)).tolist())
        if self._tick % _CAMERA_TICKS == 0:
            for camera in CAMERAS:
                self._recorder.frame(now, camera, now, picture(camera, elapsed))
        if self._tick % _CHUNK_TICKS == _CHUNK_TICKS // 2:
            self._plan(now, elapsed)

    def _decide(self, now: float, elapsed: float) -> None:
        episode, scene, memory = _scene_at(elapsed)
        failed = self._step % 97 == 60
        previous_subtask, previous_memory = self._subtask, self._memory
        if not failed:
            self._subtask, self._memory = scene.subtask, memory
        self._version += self._memory != previous_memory
        self._recorder.high_level(now, HighLevelState(
            episode=f'demo-{episode}', step=self._step, stamp=now - 0.4, goal=GOAL,
            previous_subtask=previous_subtask, subtask=self._subtask,
            previous_memory=previous_memory, memory=self._memory,
            memory_version=self._version, status='malformed' if failed else 'ok',
            source='scripted', latency_s=0.38 + 0.12 * math.sin(elapsed) ** 2,
            error='the answer had no memory line' if failed else ''))
        self._step += 1

    def _plan(self, now: float, elapsed: float) -> None:
        stamp = now - _THINKING_ROWS * DT_S - 0.05
        times = elapsed - (now - stamp) + DT_S * np.arange(ROWS)
        rows = np.array([joints_at(time) for time in times])
        rows += 0.02 * np.sin(self._chunk) * np.linspace(0.0, 1.0, ROWS)[:, None]
        self._recorder.low_level(now, LowLevelState(
            session='demo', episode='demo', chunk=self._chunk, stamp=stamp, dt=DT_S, rows=ROWS,
            goal=GOAL, subtask=self._subtask,
            frame_stamps={camera: self._frame_stamps(stamp) for camera in CAMERAS},
            joint_stamps=self._frame_stamps(stamp), spacing_error_s=0.04,
            delay_steps=_THINKING_ROWS, forecast_delay_steps=_THINKING_ROWS, chunking='soft',
            timings_s={'encode': 0.06, 'flow': 0.11 + 0.03 * math.sin(3.0 * elapsed) ** 2}))
        self._recorder.chunk(now, ActionChunk(
            JOINTS, stamp, DT_S, rows, 'demo', 'demo', self._chunk))
        self._chunk += 1

    def _frame_stamps(self, stamp: float) -> list[float | None]:
        """Return what a buffer of pictures every 0.1 s would find, None before the start."""
        ticks = [math.floor((stamp - index * STRIDE_S - self._start) / _TICK_S + 1e-6)
                 for index in reversed(range(FRAMES))]
        ticks = [tick - tick % _CAMERA_TICKS for tick in ticks]
        return [self._start + tick * _TICK_S if tick >= 0 else None for tick in ticks]

    def _report_health(self, now: float, elapsed: float) -> None:
        _, scene, _ = _scene_at(elapsed)
        self._recorder.score(now, json.dumps({
            'points': STORY.index(scene), 'max_points': len(STORY), 'success': False,
            'time_s': elapsed}))
        blind = 60.0 <= elapsed % 300.0 < 62.0
        self._recorder.gate(
            now, 'HOLD' if blind else 'OK', 'camera rear is stale' if blind else '')
        for name in ('high_level_policy', 'low_level_policy', 'sim_world'):
            self._recorder.diagnostic(now, f'/{name}', 0, 'active')
        self._recorder.diagnostic(
            now, '/action_executor', int(blind), 'HOLD: camera rear' if blind else 'following')


def joints_at(elapsed: float) -> FloatArray:
    """Return the joint positions that the run plans for a time."""
    phases = np.arange(len(JOINTS))
    wave = np.sin(elapsed * (0.35 + 0.07 * phases) + phases)
    reach = np.array([0.9, 0.5, 0.6, 0.5, 0.4, 0.8, 0.015])
    home = np.array([0.0, -0.9, 2.0, 0.0, 0.9, 0.0, 0.017])
    positions: FloatArray = home + reach * wave
    return positions


def picture(camera: str, elapsed: float) -> bytes:
    """Return a drawing of a counter, a fridge and an arm as JPEG bytes."""
    tint = 18 * CAMERAS.index(camera)
    size = PICTURE_PX
    image = np.full((size, size, 3), (196 - tint, 205 - tint, 214), np.uint8)
    cv2.rectangle(image, (0, 88), (size, size), (92 + tint, 120, 150 - tint), -1)
    cv2.rectangle(image, (8, 20), (44, 96), (232, 232, 226), -1)
    door = int(16 * max(0.0, math.sin(elapsed / 9.0)))
    cv2.rectangle(image, (44, 20), (44 + door, 96), (205, 205, 198), -1)
    cv2.circle(image, (100, 82), 9, (70, 190, 90), -1)
    joints = joints_at(elapsed)
    elbow = (int(64 + 26 * math.sin(joints[0])), int(58 - 10 * joints[1]))
    hand = (int(elbow[0] + 26 * math.sin(joints[2])), int(elbow[1] + 22 * math.cos(joints[4])))
    for begin, end, width in (((64, 127), elbow, 8), (elbow, hand, 6)):
        cv2.line(image, begin, end, (60, 62, 70), width, cv2.LINE_AA)
    cv2.circle(image, hand, 6, (40, 120, 235), -1, cv2.LINE_AA)
    return bytes(cv2.imencode('.jpg', image, [cv2.IMWRITE_JPEG_QUALITY, 75])[1])


def _scene_at(elapsed: float) -> tuple[int, Scene, str]:
    """Return the round of the story, the scene in it, and the memory when it began."""
    episode, rest = divmod(elapsed, STORY_S)
    memory = ''
    for scene in STORY:
        if rest < scene.duration_s:
            break
        rest -= scene.duration_s
        memory = scene.memory
    return int(episode), scene, memory


def _wobble(elapsed: float) -> FloatArray:
    joints = np.arange(len(JOINTS))
    wobble: FloatArray = 0.015 * np.sin(5.0 * elapsed + joints) * (joints < len(JOINTS) - 1)
    return wobble
