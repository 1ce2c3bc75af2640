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

"""Backend ``memvla`` of the high level, with a small model that is taught two answers here."""

from pathlib import Path

import numpy as np
import pytest
import torch

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.types import FrameStack, JointStack, Observation
from mem_vla_ros.models.batch import TrainingBatch
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.normalisation import Normalisation, Scaling
from mem_vla_ros.models.presets import preset
from mem_vla_ros.models.text_tokenizer import encode, pad_ids, train_tokenizer
from mem_vla_ros.policies.high_level_answer import MalformedAnswer, OversizedAnswer
from mem_vla_ros.policies.memvla_high_level import MemVlaHighLevel
from mem_vla_ros.policies.memvla_high_level_text import high_level_question, trained_answers

RED, GREEN = (255, 0, 0), (0, 255, 0)
QUESTION = high_level_question('tidy up', 'I sat.', 'rest')
ANSWERS = {
    RED: trained_answers().write('stop', 'I saw red.', 'I sat.'),
    GREEN: trained_answers().write('go', 'I sat.', 'I sat.'),
}


def make_observation(colour: tuple[int, int, int], frames: int = 1) -> Observation:
    image = np.broadcast_to(np.array(colour, np.uint8), (frames, 64, 64, 3))
    stamps, valid = np.arange(frames, dtype=float), np.ones(frames, bool)
    cameras = {name: FrameStack(image, stamps, valid)
               for name in ('base', 'left_wrist', 'right_wrist', 'rear')}
    return Observation(
        float(frames - 1), cameras, JointStack(np.zeros((frames, 7)), stamps, valid))


def make_checkpoint() -> Checkpoint:
    torch.manual_seed(0)
    text = {**preset('tiny').text, 'num_hidden_layers': 1}
    model = MemVLA(preset('tiny', text=text, frames=1)).eval()
    scaling = Scaling((-3.0,) * 7, (3.0,) * 7)
    tokenizer = train_tokenizer([QUESTION, *ANSWERS.values()], model.config.text['vocab_size'])
    return Checkpoint(model, tokenizer, Normalisation(scaling, scaling))


def make_batch(checkpoint: Checkpoint) -> TrainingBatch:
    question = encode(checkpoint.tokenizer, QUESTION)
    rows = [question + encode(checkpoint.tokenizer, answer) + [checkpoint.tokenizer.eos_token_id]
            for answer in ANSWERS.values()]
    ids, valid = pad_ids(rows)
    target = valid & (torch.arange(ids.shape[1]) >= len(question))
    images = torch.stack([
        torch.tensor(colour, dtype=torch.uint8)[None, None, :, None, None].expand(
            4, 1, 3, 64, 64) for colour in ANSWERS])
    return TrainingBatch(
        images, torch.zeros(2, 1, 1, dtype=torch.float64), torch.ones(2, 4, 1, dtype=torch.bool),
        torch.zeros(2, 1, 7), torch.ones(2, 1, dtype=torch.bool), ids, valid, target)


@pytest.fixture(scope='module')
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    checkpoint = make_checkpoint()
    batch = make_batch(checkpoint)
    optimizer = torch.optim.AdamW(checkpoint.model.parameters(), lr=3e-3)
    for _ in range(200):
        loss = checkpoint.model.loss(batch)['text']
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.02:
            break
    path = tmp_path_factory.mktemp('checkpoint')
    checkpoint.save_pretrained(path)
    return path


@pytest.mark.parametrize(('colour', 'subtask', 'memory'), [
    (RED, 'stop', 'I saw red.'), (GREEN, 'go', 'I sat.')])
def test_checkpoint_decides_by_what_it_sees(
        folder: Path, colour: tuple, subtask: str, memory: str) -> None:
    policy = MemVlaHighLevel.from_folder(folder)
    decision = policy.decide(make_observation(colour), 'I sat.', 'tidy up', 'rest')
    assert (decision.subtask, decision.memory) == (subtask, memory)
    assert decision.details['prompt_chars'] == len(QUESTION)


def test_answer_without_an_end_is_oversized(folder: Path) -> None:
    policy = MemVlaHighLevel.from_folder(folder, max_answer_tokens=2)
    with pytest.raises(OversizedAnswer, match='within 2 tokens'):
        policy.decide(make_observation(RED), 'I sat.', 'tidy up', 'rest')


def test_answer_in_another_order_is_malformed(folder: Path) -> None:
    policy = MemVlaHighLevel.from_folder(folder, order='subtask_first')
    with pytest.raises(MalformedAnswer, match="needs a line 'Subtask: ...'"):
        policy.decide(make_observation(RED), 'I sat.', 'tidy up', 'rest')


def test_untaught_model_reads_several_frames_and_is_refused_by_its_answer() -> None:
    policy = MemVlaHighLevel(make_checkpoint(), max_answer_tokens=8)
    with pytest.raises((MalformedAnswer, OversizedAnswer)):
        policy.decide(make_observation(RED, frames=3), 'I sat.', 'tidy up', 'rest')


def test_answer_of_no_length_is_refused() -> None:
    with pytest.raises(ConfigError, match='max_answer_tokens'):
        MemVlaHighLevel(make_checkpoint(), max_answer_tokens=0)
