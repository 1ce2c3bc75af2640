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

"""Test of ``memvla ship``: half the size, and the same policy."""

import torch

from mem_vla_ros.cli import main
from mem_vla_ros.core.weights import LOW_LEVEL, notes_of
from mem_vla_ros.models.checkpoint import Checkpoint


def test_a_shipped_checkpoint_is_read_like_any_other(tmp_path):
    whole, shipped = tmp_path / 'whole', tmp_path / 'shipped'
    before = Checkpoint.from_pretrained(LOW_LEVEL)
    before.save_pretrained(whole, {'step': 3})
    assert main(['ship', str(whole), str(shipped)]) == 0
    sizes = [(folder / 'model.safetensors').stat().st_size for folder in (whole, shipped)]
    assert sizes[1] < 0.6 * sizes[0]
    assert notes_of(shipped) == {'step': 3}
    after = Checkpoint.from_pretrained(shipped).model.state_dict()
    for name, value in before.model.state_dict().items():
        assert after[name].dtype == torch.float32
        torch.testing.assert_close(after[name], value, atol=1e-4, rtol=1e-3)


def test_what_is_no_checkpoint_is_refused(tmp_path, capsys):
    assert main(['ship', str(tmp_path / 'absent'), str(tmp_path / 'out')]) == 2
    assert 'no such checkpoint folder' in capsys.readouterr().err
