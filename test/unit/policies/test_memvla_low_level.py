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

"""A checkpoint as a low-level policy: what it sees, what it keeps, what it refuses."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.core.types import Committed, FrameStack
from mem_vla_ros.execution.history import History
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.normalisation import Normalisation, Scaling
from mem_vla_ros.models.presets import preset
from mem_vla_ros.models.text_tokenizer import byte_tokenizer
from mem_vla_ros.policies.frame_stream import FrameStream
from mem_vla_ros.policies.memvla_low_level import MemVlaLowLevel
from mem_vla_ros.policies.observation_tensors import image_tensors

ROBOT = load_robot(Path(__file__).parents[3] / 'config' / 'robots' / 'sim_arm.yaml')


def make_checkpoint(**changes):
    torch.manual_seed(0)
    scaling = Scaling(tuple(ROBOT.limits.lower.tolist()), tuple(ROBOT.limits.upper.tolist()))
    return Checkpoint(
        MemVLA(preset('tiny', **changes)).eval(), byte_tokenizer(),
        Normalisation(scaling, scaling))


class Robot:
    """Cameras and joints at 10 Hz."""

    def __init__(self):
        self.history = History(ROBOT.camera_names, ROBOT.joint_names, 6, 1.0, image_size=(64, 64))
        self.rng = np.random.default_rng(0)
        self.time = 0.0

    def run(self, seconds):
        for _ in range(round(seconds * 10)):
            self.time = round(self.time + 0.1, 6)
            for camera in ROBOT.camera_names:
                image = self.rng.integers(0, 256, (64, 64, 3), dtype=np.uint8)
                assert self.history.add_frame(camera, self.time, image, self.time) is None
            self.history.add_joints(self.time, ROBOT.joint_names, ROBOT.home, self.time)
        return self.history.observe(self.time)


@pytest.mark.parametrize('memory', ['video', 'none', 'pool', 'proprio'])
def test_every_memory_gives_chunks_inside_the_limits(memory):
    policy = MemVlaLowLevel(make_checkpoint(memory=memory), ROBOT)
    chunk = policy.predict(Robot().run(3.0), 'open the drawer', 'find it', None)
    assert chunk.positions.shape == (16, 7)
    assert np.array_equal(chunk.positions, ROBOT.limits.clip(chunk.positions))
    speeds = np.abs(np.diff(chunk.positions, axis=0)) / chunk.dt
    assert np.all(speeds <= ROBOT.limits.velocity + 1e-9)


@pytest.mark.parametrize('pause_s', [1.0, 2.7])
def test_streaming_sees_what_the_clip_shows_however_slow_inference_is(pause_s):
    model = make_checkpoint().model
    robot, stream = Robot(), FrameStream(model, ROBOT.camera_names, tolerance=1e-6)
    robot.run(2.0)
    for _ in range(4):
        observation = robot.run(pause_s)
        streamed = stream.tokens({0: observation})
        clip = model.encode_clip(*image_tensors(observation, ROBOT.camera_names))
        torch.testing.assert_close(streamed.embeds, clip.embeds, atol=1e-5, rtol=0)


def test_frames_that_were_encoded_are_not_encoded_again(monkeypatch):
    model = make_checkpoint().model
    robot, stream = Robot(), FrameStream(model, ROBOT.camera_names, tolerance=0.25)
    for _ in range(5):
        stream.tokens({0: robot.run(0.4)})
    encoded = []
    encode_step = model.encode_step

    def counted(*args):
        encoded.append(1)
        return encode_step(*args)

    monkeypatch.setattr(model, 'encode_step', counted)
    for _ in range(10):
        stream.tokens({0: robot.run(0.4)})
    assert len(encoded) == 10


def test_reset_forgets_the_past():
    robot = Robot()
    policy = MemVlaLowLevel(make_checkpoint(), ROBOT)
    first = robot.run(3.0)
    policy.predict(first, '', 'find it', None)
    second = robot.run(1.0)
    alone = replace(second, cameras={
        name: FrameStack(stack.images, stack.stamps, np.arange(6) == 5)
        for name, stack in second.cameras.items()})
    policy.reset()
    after_reset = policy.predict(alone, '', 'find it', None)
    fresh = MemVlaLowLevel(make_checkpoint(), ROBOT).predict(alone, '', 'find it', None)
    np.testing.assert_allclose(after_reset.positions, fresh.positions, atol=1e-6)


def test_a_trained_prefix_is_kept_exactly():
    policy = MemVlaLowLevel(make_checkpoint(rtc_max_delay=4), ROBOT, chunking='rtc_trained')
    running = np.tile(ROBOT.home, (12, 1)) + np.linspace(0.0, 0.02, 12)[:, None] * (
        ROBOT.limits.upper - ROBOT.limits.lower) * 0.1
    chunk = policy.predict(Robot().run(1.0), '', 'find it', Committed(running, delay=3))
    np.testing.assert_allclose(chunk.positions[:3], running[:3], atol=1e-5)


def test_guidance_pulls_towards_the_running_chunk():
    observation = Robot().run(1.0)
    running = Committed(np.tile(ROBOT.home, (12, 1)), delay=4)

    def distance(chunking):
        policy = MemVlaLowLevel(make_checkpoint(), ROBOT, chunking=chunking)
        chunk = policy.predict(observation, '', 'find it', running)
        return np.abs(chunk.positions[:4] - ROBOT.home).mean()

    assert distance('rtc_guided') < 0.5 * distance('hard')


def test_a_checkpoint_that_was_not_trained_for_it_refuses_a_prefix():
    with pytest.raises(ConfigError, match='use rtc_guided'):
        MemVlaLowLevel(make_checkpoint(), ROBOT, chunking='rtc_trained')


def test_a_robot_without_the_cameras_is_refused():
    robot = replace(ROBOT, cameras=ROBOT.cameras[:2])
    with pytest.raises(ConfigError, match=r"lacks \['right_wrist', 'rear'\]"):
        MemVlaLowLevel(make_checkpoint(), robot)


def test_equal_seeds_give_equal_chunks():
    observation = Robot().run(1.0)
    first, second = (
        MemVlaLowLevel(make_checkpoint(), ROBOT, seed=3).predict(observation, 's', 'g', None)
        for _ in range(2))
    assert np.array_equal(first.positions, second.positions)
