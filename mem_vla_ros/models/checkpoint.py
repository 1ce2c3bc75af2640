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
Checkpoints: a folder that holds a model and all it needs to be used.

::

    config.json          MemVlaConfig, weight hash, format version
    model.safetensors    weights
    tokenizer.json ...   text tokenizer
    normalisation.json   ranges of states and actions
    fast/                FAST tokenizer, if the model has one

Nothing is ever unpickled. Whatever does not fit exactly is refused with the key and the file.
"""

from dataclasses import dataclass
import hashlib
import json
from pathlib import Path
from typing import Any

from safetensors import safe_open, SafetensorError
from safetensors.torch import save_file
import torch
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from mem_vla_ros.models.config import MemVlaConfig
from mem_vla_ros.models.errors import CheckpointError, ModelConfigError
from mem_vla_ros.models.fast_tokens import FastTokenizer
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.normalisation import Normalisation

FORMAT = 1
PICKLES = ('.bin', '.pt', '.pth', '.ckpt', '.pkl', '.pickle', '.npy', '.joblib')


@dataclass(frozen=True)
class Checkpoint:
    """A model with its tokenizers and statistics."""

    model: MemVLA
    tokenizer: PreTrainedTokenizerFast
    normalisation: Normalisation
    fast: FastTokenizer | None = None

    def save_pretrained(self, folder: Path | str, notes: dict[str, Any] | None = None) -> None:
        """
        Write the folder; config.json comes last, so that a half-written one is refused.

        :param notes: What to remember about the training, plain values.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / 'config.json').unlink(missing_ok=True)
        weights = {name: value.contiguous() for name, value in self.model.state_dict().items()}
        save_file(weights, folder / 'model.safetensors')
        self.tokenizer.save_pretrained(str(folder))
        self.normalisation.save(folder / 'normalisation.json')
        if self.fast is not None:
            self.fast.save(folder / 'fast')
        (folder / 'config.json').write_text(json.dumps({
            'format': FORMAT, 'model': self.model.config.to_dict(),
            'weights_sha256': _sha256(folder / 'model.safetensors'),
            'notes': notes or {}}, indent=2) + '\n')

    @classmethod
    def from_pretrained(
        cls, folder: Path | str, dtype: torch.dtype = torch.float32,
    ) -> 'Checkpoint':
        """
        Read the folder, and return the model ready to use.

        :raises CheckpointError: if anything is missing, damaged, too much or pickled.
        """
        folder = Path(folder)
        _refuse_pickles(folder)
        content = _read_config(folder / 'config.json')
        config = _model_config(folder / 'config.json', content['model'])
        weights = folder / 'model.safetensors'
        _check_hash(weights, content['weights_sha256'])
        model = build_model(config, dtype)
        load_weights(model, weights)
        fast = FastTokenizer.load(folder / 'fast') if config.fast_vocab_size else None
        return cls(
            model.eval(), _read_tokenizer(folder),
            Normalisation.load(folder / 'normalisation.json'), fast)


def build_model(config: MemVlaConfig, dtype: torch.dtype) -> MemVLA:
    """
    Return a model whose weights have the given type.

    Converting a finished model would also round the frequencies of its rotary positions.
    """
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        return MemVLA(config)
    finally:
        torch.set_default_dtype(before)


def load_weights(model: torch.nn.Module, path: Path) -> None:
    """
    Copy a safetensors file into a model; keys and shapes must match exactly.

    :raises CheckpointError: naming the first key that does not, and the file.
    """
    wanted = model.state_dict()
    try:
        with safe_open(path, framework='pt') as file:
            _check_keys(path, set(file.keys()), set(wanted))
            for name, value in wanted.items():
                got = file.get_slice(name).get_shape()
                # CHECK: shapes agree
                if tuple(got) != tuple(value.shape):
                    raise CheckpointError(
                        f"{path}: '{name}' has shape {tuple(got)}. "
                        f'The model needs {tuple(value.shape)}.')
                value.copy_(file.get_tensor(name))
    except (SafetensorError, OSError) as error:
        raise CheckpointError(
            f'{path}: not a whole safetensors file ({error}). Pickles are never read.') from error


def _check_keys(path: Path, got: set[str], wanted: set[str]) -> None:
    # CHECK: every weight is there
    if missing := sorted(wanted - got):
        raise CheckpointError(f"{path}: {len(missing)} keys missing, first '{missing[0]}'.")
    # CHECK: there are no others
    if unknown := sorted(got - wanted):
        raise CheckpointError(f"{path}: {len(unknown)} unknown keys, first '{unknown[0]}'.")


def _refuse_pickles(folder: Path) -> None:
    if not folder.is_dir():
        raise CheckpointError(f'{folder}: no such checkpoint folder.')
    for path in sorted(folder.rglob('*')):
        if path.suffix in PICKLES:
            raise CheckpointError(
                f'{path}: may hold a pickle, which can run code. Only safetensors are read.')


def _read_config(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise CheckpointError(f'{path}: no readable configuration: {error}.') from error
    for key in ('format', 'model', 'weights_sha256'):
        if not isinstance(content, dict) or key not in content:
            raise CheckpointError(f"{path}: key '{key}' is missing.")
    if content['format'] != FORMAT:
        raise CheckpointError(f"{path}: format {content['format']}. This version reads {FORMAT}.")
    return content


def _model_config(path: Path, values: Any) -> MemVlaConfig:
    try:
        return MemVlaConfig.from_dict(values)
    except (ModelConfigError, TypeError, ValueError) as error:
        raise CheckpointError(f'{path}: not a model configuration: {error}') from error


def _check_hash(path: Path, expected: str) -> None:
    if not path.is_file():
        raise CheckpointError(f'{path}: the weights are missing.')
    if (got := _sha256(path)) != expected:
        raise CheckpointError(
            f'{path}: the weights are damaged: SHA-256 {got[:12]}..., config.json says '
            f'{expected[:12]}...')


def _sha256(path: Path) -> str:
    with path.open('rb') as file:
        return hashlib.file_digest(file, 'sha256').hexdigest()


def _read_tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    # CHECK: a local file, or transformers would ask the hub for a model of this name
    if not (folder / 'tokenizer.json').is_file():
        raise CheckpointError(f"{folder / 'tokenizer.json'}: the tokenizer is missing.")
    try:
        return AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    except Exception as error:  # `tokenizers` raises bare Exception
        raise CheckpointError(f"{folder / 'tokenizer.json'}: unreadable: {error}.") from error
