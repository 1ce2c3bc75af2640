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
Pretrained parts: Gemma 3 and SigLIP weights into a MemVLA.

A source is a local folder or a hub name that holds safetensors, or a folder with a GGUF file
(text weights only). What the source does not have stays as it was; what it has must fit.
"""

from pathlib import Path

import torch
from torch import nn, Tensor
from torch.nn.functional import interpolate
from transformers import (
    AutoConfig,
    AutoTokenizer,
    Gemma3ForCausalLM,
    Gemma3ForConditionalGeneration,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    SiglipVisionModel,
)

from mem_vla_ros.models.errors import CheckpointError
from mem_vla_ros.models.mem_vla import MemVLA

POSITIONS = 'embeddings.position_embedding.weight'


def load_gemma(model: MemVLA, source: Path | str, gguf_file: str | None = None) -> None:
    """
    Copy Gemma 3's language weights, and its tower and projector if the source has them.

    :param gguf_file: Name of a GGUF file in the folder; it is dequantised.
    :raises CheckpointError: if weights are missing or do not fit.
    """
    kind = AutoConfig.from_pretrained(source, gguf_file=gguf_file).model_type
    if kind == 'gemma3':
        gemma = _load(Gemma3ForConditionalGeneration, source).model
        _copy(model.backbone, gemma.language_model.state_dict(), source)
        _copy(model.vision.projector, gemma.multi_modal_projector.state_dict(), source)
        _copy_tower(model, gemma.vision_tower, source)
    elif kind == 'gemma3_text':
        gemma = _load(Gemma3ForCausalLM, source, gguf_file)
        _copy(model.backbone, gemma.model.state_dict(), source)
    else:
        raise CheckpointError(
            f"{source}: a model of type '{kind}'. Expected 'gemma3' or 'gemma3_text'.")


def load_siglip(model: MemVLA, source: Path | str) -> None:
    """
    Copy a SigLIP (or fixed-resolution SigLIP 2) vision tower, resampling its positions.

    :raises CheckpointError: if weights are missing or do not fit.
    """
    _copy_tower(model, _load(SiglipVisionModel, source), source)


def load_tokenizer(source: Path | str, gguf_file: str | None = None) -> PreTrainedTokenizerFast:
    """Return the source's own text tokenizer."""
    return AutoTokenizer.from_pretrained(source, gguf_file=gguf_file)


def resample_positions(table: Tensor, count: int) -> Tensor:
    """
    Return a square position table for another resolution, (N, D) -> (count, D).

    Bicubic, as `transformers` does at run time; done once here.
    """
    if len(table) == count:
        return table
    old, new = round(len(table) ** 0.5), round(count ** 0.5)
    grid = table.float().unflatten(0, (old, old)).movedim(-1, 0)[None]
    grid = interpolate(grid, size=(new, new), mode='bicubic', align_corners=False)
    return grid[0].movedim(0, -1).flatten(0, 1).to(table.dtype)


def _load(kind: type[PreTrainedModel], source: Path | str, gguf_file: str | None = None) -> (
        PreTrainedModel):
    options = {'gguf_file': gguf_file} if gguf_file else {'use_safetensors': True}
    loaded, report = kind.from_pretrained(
        source, output_loading_info=True, dtype=torch.float32, **options)
    # transformers would leave these random and only warn.
    missing = [k for k in sorted(report['missing_keys']) if not k.startswith('lm_head')]
    if missing:
        raise CheckpointError(f"{source}: {len(missing)} keys missing, first '{missing[0]}'.")
    return loaded


def _copy_tower(model: MemVLA, tower: nn.Module, source: Path | str) -> None:
    weights = {k: v for k, v in tower.state_dict().items() if not k.startswith('head.')}
    count = len(model.vision.tower.get_parameter(POSITIONS))
    weights[POSITIONS] = resample_positions(weights[POSITIONS], count)
    _copy(model.vision.tower, weights, source)


def _copy(module: nn.Module, weights: dict[str, Tensor], source: Path | str) -> None:
    try:
        module.load_state_dict(weights)
    except RuntimeError as error:
        raise CheckpointError(f'{source}: does not fit the model: {error}') from error
