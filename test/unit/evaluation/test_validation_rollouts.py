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


import pytest
from support.node_graph import ROBOT_FILE
from support.tiny_checkpoint import write_tiny_checkpoint

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.evaluation.validation_rollouts import ValidationRollouts
from mem_vla_ros.models.checkpoint import Checkpoint


@pytest.mark.slow
def test_random_weights_solve_no_validation_episode(tmp_path):
    checkpoint = Checkpoint.from_pretrained(write_tiny_checkpoint(tmp_path))
    rollouts = ValidationRollouts(['chopstick'], 1, load_robot(ROBOT_FILE))
    assert rollouts(checkpoint) == {'chopstick': 0.0}
