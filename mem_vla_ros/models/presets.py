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
The sizes that have names.

`tiny` trains on one CPU thread, `sim-arm` is the one that ships for the simulated arm,
`gemma3-270m` takes the small Gemma's text weights, and `gemma3-4b` is the paper's model: 448 px,
four cameras, an action expert of about 860 M.
"""

from dataclasses import replace
from typing import Any

from mem_vla_ros.models.config import MemVlaConfig
from mem_vla_ros.models.errors import ModelConfigError

_GEMMA_SPECIALS = {'pad_token_id': 0, 'eos_token_id': 1, 'bos_token_id': 2}

TINY = MemVlaConfig(
    vision={
        'hidden_size': 128, 'intermediate_size': 384, 'num_hidden_layers': 4,
        'num_attention_heads': 4, 'image_size': 64, 'patch_size': 16},
    text={
        'vocab_size': 512, 'hidden_size': 128, 'intermediate_size': 256,
        'num_hidden_layers': 3, 'num_attention_heads': 4, 'num_key_value_heads': 1,
        'head_dim': 32, 'query_pre_attn_scalar': 32, 'sliding_window': 1024,
        'max_position_embeddings': 4096, **_GEMMA_SPECIALS},
    tokens_per_image=4, camera_embedding=True, state_dim=7, action_dim=7, horizon=16,
    action_dt_s=0.1, expert_width=128, expert_mlp=256, prediction='x',
    knowledge_insulation=False, fast_vocab_size=0)

# Patches stay apart: averaged four by four, policies did not learn which drawer a hand had opened.
# A key head for each query head: with one, the expert sees a quarter of what the backbone knows.
SIM_ARM = replace(
    TINY, patch_merge='concat', frames=12,
    text={**TINY.text, 'num_key_value_heads': 4, 'vocab_size': 1024})

GEMMA3_270M = MemVlaConfig(
    vision={
        'hidden_size': 768, 'intermediate_size': 3072, 'num_hidden_layers': 12,
        'num_attention_heads': 12, 'image_size': 224, 'patch_size': 16},
    text={
        'vocab_size': 262144, 'hidden_size': 640, 'intermediate_size': 2048,
        'num_hidden_layers': 18, 'num_attention_heads': 4, 'num_key_value_heads': 1,
        'head_dim': 256, 'query_pre_attn_scalar': 256, 'sliding_window': 512,
        'max_position_embeddings': 32768, **_GEMMA_SPECIALS},
    tokens_per_image=49, expert_width=512, expert_mlp=1024)

GEMMA3_4B = MemVlaConfig(
    vision={
        'hidden_size': 1152, 'intermediate_size': 4304, 'num_hidden_layers': 27,
        'num_attention_heads': 16, 'image_size': 448, 'patch_size': 14},
    text={
        'vocab_size': 262208, 'hidden_size': 2560, 'intermediate_size': 10240,
        'num_hidden_layers': 34, 'num_attention_heads': 8, 'num_key_value_heads': 4,
        'head_dim': 256, 'query_pre_attn_scalar': 256, 'sliding_window': 1024,
        'max_position_embeddings': 131072,
        'rope_scaling': {'rope_type': 'linear', 'factor': 8.0}, **_GEMMA_SPECIALS},
    tokens_per_image=256, position_mode='window')

PRESETS = {
    'tiny': TINY, 'sim-arm': SIM_ARM, 'gemma3-270m': GEMMA3_270M, 'gemma3-4b': GEMMA3_4B}


def preset(name: str, **changes: Any) -> MemVlaConfig:
    """
    Return a preset, with some fields changed.

    :raises ModelConfigError: if there is no preset of that name.
    """
    if name not in PRESETS:
        raise ModelConfigError(f"Unknown preset '{name}'. Known: {sorted(PRESETS)}.")
    return replace(PRESETS[name], **changes)
