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

"""Small made-up episodes and a tiny checkpoint."""

import numpy as np
import pytest
import torch

from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.normalisation import Normalisation, Scaling
from mem_vla_ros.models.presets import preset
from mem_vla_ros.models.text_tokenizer import byte_tokenizer
from mem_vla_ros.training.episode import Episode

CAMERAS = ('base', 'left_wrist', 'right_wrist', 'rear')


def make_episode(seed, length=45):
    rng = np.random.default_rng(seed)
    change = length // 2
    return Episode(
        times=0.1 * np.arange(length),
        images={name: rng.integers(0, 256, (length, 64, 64, 3), dtype=np.uint8)
                for name in CAMERAS},
        joints=rng.normal(0.0, 0.3, (length, 7)), actions=rng.normal(0.0, 0.3, (length, 7)),
        subtasks=['wait'] * change + ['open the drawer'] * (length - change),
        memories=[''] * change + ['I saw it.'] * (length - change), goal='find it', seed=seed)


class Episodes(list):
    """A list is a source of episodes."""

    def task_of(self, index):
        return self[index].task

    def texts(self):
        return iter(['find it', 'wait', 'open the drawer', 'I saw it.'])


@pytest.fixture
def episodes():
    return Episodes(make_episode(seed, 45 + 3 * seed) for seed in range(3))


@pytest.fixture
def make_checkpoint():
    def make(**changes):
        torch.manual_seed(0)
        scaling = Scaling((-1.0,) * 7, (1.0,) * 7)
        model = MemVLA(preset('tiny', **changes))
        return Checkpoint(model, byte_tokenizer(), Normalisation(scaling, scaling))
    return make
