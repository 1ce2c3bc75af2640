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

"""Several robots that share a model: nobody's answer depends on the others."""

from pathlib import Path

import numpy as np
import pytest
import torch

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.execution.history import History
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.normalisation import Normalisation, Scaling
from mem_vla_ros.models.presets import preset
from mem_vla_ros.models.text_tokenizer import byte_tokenizer
from mem_vla_ros.policies.robots_model import (
    ChunkQuestion,
    RobotsModel,
    SingleRobotModel,
    TextQuestion,
)

ROBOT = load_robot(Path(__file__).parents[3] / 'config' / 'robots' / 'sim_arm.yaml')
PROMPTS = ('open the drawer', 'rest', 'put the cup on the shelf')
LIMIT = 12


def make_checkpoint(**changes):
    torch.manual_seed(0)
    scaling = Scaling(tuple(ROBOT.limits.lower.tolist()), tuple(ROBOT.limits.upper.tolist()))
    return Checkpoint(
        MemVLA(preset('tiny', **changes)).eval(), byte_tokenizer(),
        Normalisation(scaling, scaling))


class Robot:
    """Cameras and joints at 10 Hz, other ones for every number."""

    def __init__(self, number):
        self.history = History(ROBOT.camera_names, ROBOT.joint_names, 6, 1.0, image_size=(64, 64))
        self.rng = np.random.default_rng(number)
        self.noise = torch.Generator().manual_seed(number)
        self.prompt = PROMPTS[number]
        self.time = 0.0

    def observe(self, seconds):
        for _ in range(round(seconds * 10)):
            self.time = round(self.time + 0.1, 6)
            for camera in ROBOT.camera_names:
                image = self.rng.integers(0, 256, (64, 64, 3), dtype=np.uint8)
                self.history.add_frame(camera, self.time, image, self.time)
            joints = ROBOT.home + self.rng.normal(0.0, 0.01, len(ROBOT.home))
            self.history.add_joints(self.time, ROBOT.joint_names, joints, self.time)
        return self.history.observe(self.time)

    def chunk_question(self, seconds):
        noise = torch.randn(1, 16, 7, generator=self.noise)
        return ChunkQuestion(self.observe(seconds), self.prompt, noise)

    def text_question(self, draft=()):
        return TextQuestion(self.observe(1.0), self.prompt, LIMIT, list(draft))


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.mark.parametrize('memory', ['video', 'none', 'pool', 'proprio'])
def test_chunks_are_those_of_robots_alone(memory):
    checkpoint = make_checkpoint(memory=memory)
    together = RobotsModel(checkpoint, robots=3)
    alone = [SingleRobotModel(checkpoint) for _ in range(3)]
    robots = [Robot(number) for number in range(3)]
    # Robot 1 is slow, so that it has frames to catch up with when it comes; robot 2 begins anew.
    for step, asking in enumerate([(0, 1, 2), (2, 0), (0, 2), (1, 0), (0, 1, 2)]):
        if step == 3:
            robots[2] = Robot(2)
            together.reset(2)
            alone[2].reset()
        questions = {number: robots[number].chunk_question(2.5 if number == 1 else 1.0)
                     for number in asking}
        chunks = together.sample(questions)
        assert list(chunks) == list(asking)
        for number, question in questions.items():
            torch.testing.assert_close(
                chunks[number], alone[number].sample(question), atol=1e-5, rtol=0)


def test_texts_are_those_of_robots_alone_whatever_their_drafts():
    checkpoint = make_checkpoint()
    plain = [SingleRobotModel(checkpoint).write(Robot(number).text_question())
             for number in range(3)]
    # Right to the end, wrong from the third token on, and none.
    drafts = [plain[0], [*plain[1][:2], (plain[1][2] + 1) % 256, *plain[1][3:]], []]
    together = RobotsModel(checkpoint, robots=3).write({
        number: Robot(number).text_question(drafts[number]) for number in range(3)})
    assert [together[number] for number in range(3)] == plain


def test_rows_that_end_early_do_not_stop_the_others(monkeypatch):
    checkpoint = make_checkpoint()
    model = checkpoint.model
    plain = [SingleRobotModel(checkpoint).write(Robot(number).text_question())
             for number in range(3)]
    stop = next(token for token in plain[0] if token not in plain[1] or token not in plain[2])
    monkeypatch.setattr(model.backbone.config, 'eos_token_id', [1, stop])

    def ended(text):
        return text[:text.index(stop)] if stop in text else text
    together = RobotsModel(checkpoint, robots=3).write({
        number: Robot(number).text_question(plain[number]) for number in range(3)})
    # What a draft holds after its end is not taken over.
    assert [together[number] for number in range(3)] == [ended(text) for text in plain]
