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

"""A random checkpoint for the simulated arm, as small as one can be."""

from support.node_graph import ROBOT_FILE
import torch

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.normalisation import Normalisation, Scaling
from mem_vla_ros.models.presets import preset
from mem_vla_ros.models.text_tokenizer import train_tokenizer


def write_tiny_checkpoint(folder):
    """Write the checkpoint and return its folder."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    config = preset('tiny', text={**preset('tiny').text, 'num_hidden_layers': 1}, frames=2)
    limits = load_robot(ROBOT_FILE).limits
    scaling = Scaling(tuple(limits.lower.tolist()), tuple(limits.upper.tolist()))
    tokenizer = train_tokenizer(['tidy up', 'pick up the cup'], config.text['vocab_size'])
    Checkpoint(MemVLA(config), tokenizer, Normalisation(scaling, scaling)).save_pretrained(folder)
    return folder
