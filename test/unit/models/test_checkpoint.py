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

"""Tests of checkpoint folders and of what they refuse."""

import hashlib
import json
import pickle

import pytest
from safetensors.torch import load_file, save_file
import torch

from mem_vla_ros.models.checkpoint import Checkpoint, load_weights
from mem_vla_ros.models.errors import CheckpointError
from mem_vla_ros.models.fast_tokens import FastTokenizer
from mem_vla_ros.models.normalisation import Normalisation, Scaling
from mem_vla_ros.models.text_tokenizer import encode, train_tokenizer


@pytest.fixture
def checkpoint(small_model) -> Checkpoint:
    scaling = Scaling((-1.0,) * 4, (1.0,) * 4)
    fast = FastTokenizer.fit(torch.rand(20, 6, 4).numpy(), vocab_size=100, scale=4)
    return Checkpoint(
        small_model(), train_tokenizer(['open the drawer'], 300),
        Normalisation(scaling, scaling), fast)


@pytest.fixture
def folder(checkpoint, tmp_path):
    checkpoint.save_pretrained(tmp_path / 'ckpt', notes={'task': 'find_object'})
    return tmp_path / 'ckpt'


def rewrite_weights(folder, change) -> None:
    """Change the weights and make config.json agree with the new file."""
    path = folder / 'model.safetensors'
    weights = load_file(path)
    change(weights)
    save_file(weights, path)
    config = json.loads((folder / 'config.json').read_text())
    config['weights_sha256'] = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / 'config.json').write_text(json.dumps(config))


def refused(folder, *words: str) -> None:
    with pytest.raises(CheckpointError) as error:
        Checkpoint.from_pretrained(folder)
    assert all(word in str(error.value) for word in words), str(error.value)


def test_checkpoint_comes_back_whole(checkpoint, folder):
    loaded = Checkpoint.from_pretrained(folder)
    assert loaded.model.config == checkpoint.model.config
    for name, value in checkpoint.model.state_dict().items():
        assert torch.equal(loaded.model.state_dict()[name], value)
    assert loaded.normalisation == checkpoint.normalisation
    text = 'open the drawer 2 <eos> \u00e9'
    assert encode(loaded.tokenizer, text) == encode(checkpoint.tokenizer, text)
    chunk = torch.rand(6, 4).numpy()
    assert loaded.fast.encode(chunk) == checkpoint.fast.encode(chunk)
    assert not loaded.model.training


def test_half_precision_keeps_exact_rotary_frequencies(checkpoint, folder):
    loaded = Checkpoint.from_pretrained(folder, dtype=torch.bfloat16)
    assert loaded.model.state_in.weight.dtype == torch.bfloat16
    ours, theirs = (
        c.model.backbone.rotary_emb.full_attention_inv_freq for c in (loaded, checkpoint))
    assert torch.equal(ours, theirs)


def test_saving_again_replaces_the_checkpoint(checkpoint, folder, small_model):
    with torch.no_grad():
        checkpoint.model.state_in.weight.zero_()
    checkpoint.save_pretrained(folder)
    assert (Checkpoint.from_pretrained(folder).model.state_in.weight == 0).all()


def test_missing_key_is_refused_by_name(folder):
    rewrite_weights(folder, lambda w: w.pop('state_in.bias'))
    refused(folder, 'state_in.bias', 'missing', 'model.safetensors')


def test_unknown_key_is_refused_by_name(folder):
    rewrite_weights(folder, lambda w: w.update(extra=torch.zeros(1)))
    refused(folder, "'extra'", 'unknown', 'model.safetensors')


def test_wrong_shape_is_refused_by_name(folder):
    rewrite_weights(folder, lambda w: w.update({'state_in.bias': torch.zeros(7)}))
    refused(folder, 'state_in.bias', '(7,)', '(24,)', 'model.safetensors')


@pytest.mark.parametrize('share', [0.0, 0.001, 0.5, 0.999])
def test_truncated_weights_are_refused(folder, checkpoint, share):
    path = folder / 'model.safetensors'
    content = path.read_bytes()
    path.write_bytes(content[:int(len(content) * share)])
    refused(folder, 'model.safetensors', 'damaged')
    with pytest.raises(CheckpointError, match='safetensors file'):
        load_weights(checkpoint.model, path)


def test_flipped_bit_is_refused(folder):
    path = folder / 'model.safetensors'
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)
    refused(folder, 'model.safetensors', 'SHA-256')


def test_pickle_under_the_name_of_the_weights_is_refused(folder, checkpoint):
    path = folder / 'model.safetensors'
    path.write_bytes(pickle.dumps({'state_in.bias': 1}))
    refused(folder, 'model.safetensors')
    with pytest.raises(CheckpointError, match='Pickles are never read'):
        load_weights(checkpoint.model, path)


@pytest.mark.parametrize('name', ['pytorch_model.bin', 'optimizer.pt', 'fast/extra.pkl'])
def test_pickle_anywhere_in_the_folder_is_refused(folder, name):
    (folder / name).write_bytes(pickle.dumps(1))
    refused(folder, name, 'pickle')


@pytest.mark.parametrize('name', [
    'config.json', 'model.safetensors', 'tokenizer.json', 'normalisation.json',
    'fast/tokenizer.json'])
def test_missing_file_is_refused_by_name(folder, name):
    (folder / name).unlink()
    refused(folder, name.split('/')[0])


@pytest.mark.parametrize('name', [
    'config.json', 'tokenizer.json', 'normalisation.json', 'fast/processor_config.json'])
@pytest.mark.parametrize('content', ['', '{', '[]', '\x00\x01'])
def test_damaged_file_is_refused_by_name(folder, name, content):
    (folder / name).write_text(content)
    refused(folder, name.split('/')[0])


def test_absent_folder_is_refused(tmp_path):
    refused(tmp_path / 'nothing', 'nothing', 'no such')


@pytest.mark.parametrize('model', [3, {'frames': 'many'}, {'colour': 'red'}, {'frames': 0}])
def test_impossible_configuration_is_refused_by_name(folder, model):
    config = json.loads((folder / 'config.json').read_text())
    (folder / 'config.json').write_text(json.dumps({**config, 'model': model}))
    refused(folder, 'config.json')


def test_newer_format_is_refused(folder):
    config = json.loads((folder / 'config.json').read_text())
    (folder / 'config.json').write_text(json.dumps({**config, 'format': 2}))
    refused(folder, 'config.json', 'format 2')
