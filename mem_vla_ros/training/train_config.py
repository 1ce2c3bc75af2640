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

"""Settings of a training run, their presets, and their contradictions."""

from dataclasses import asdict, dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any

import yaml

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.policies.high_level_settings import MEMORY_MODES

LEVELS = ('low', 'high')
OPTIMISERS = ('muon', 'adamw')
NORMALISATIONS = ('quantiles', 'ranges')


@dataclass(frozen=True)
class TrainConfig:
    """Everything that decides a run, besides its data."""

    # Which policy: 'low' learns action chunks, 'high' learns subtask and memory as text.
    level: str = 'low'
    # Model preset, and fields of MemVlaConfig to change.
    model: str = 'tiny'
    model_changes: dict[str, Any] = field(default_factory=dict)
    # Checkpoint folder to start from; empty starts from random weights.
    start_from: str = ''

    # Optimiser steps, and episodes per step.
    steps: int = 2000
    episodes_per_batch: int = 4
    # How often tasks are drawn, by name; 1 where not named.
    task_weights: dict[str, float] = field(default_factory=dict)
    # Most frames of one episode in a step; of a longer one a random part is taken.
    clip_frames: int = 26
    # Noisy chunks per action target; they share the prefix.
    noise_samples: int = 4
    # Share of samples whose past is hidden, so that the policy also works without.
    history_dropout: float = 0.1
    # Share of low-level samples without subtask: the policy then acts from goal and memory alone.
    subtask_dropout: float = 0.5
    # Tasks whose subtask is never left out: they are too long for goal and video memory.
    told_tasks: tuple[str, ...] = ('recipe_setup', 'clean_kitchen')
    # The memory that the high level has: 'language', which it writes, 'naive' or 'none'.
    memory_mode: str = 'language'
    # Share of high-level samples whose memory is up to 8 strides old, told without the last
    # subtask. Else only the one decision at which something is first remembered needs the video;
    # all others copy.
    stale_memory: float = 0.0
    # The same for single tasks, by name, where it is another share.
    stale_memory_of: dict[str, float] = field(default_factory=dict)
    # By task, the share of high-level samples that are told a wrong last subtask: the next one of
    # the episode with its memory, or any. Else a policy recites them in their order, whatever the
    # hand really holds.
    misheard_subtask_of: dict[str, float] = field(default_factory=dict)
    # How much a high-level sample counts whose standing decision is no longer right: most
    # decisions are to go on, and copying the last one is right for them.
    change_weight: float = 1.0
    # Share that is used of the high-level samples whose last decision, as it is told, is still
    # right. They only copy; the fewer of them, the shorter is a step.
    copy_share: float = 1.0
    # Actions count from the measured joints instead of from zero, except of the named joints.
    relative_actions: bool = False
    absolute_joints: tuple[str, ...] = ('gripper',)
    # How much each dimension of an action counts; empty: all the same.
    action_weights: tuple[float, ...] = ()
    # Each row of a chunk counts this much of the one before: late ones are never executed.
    row_decay: float = 1.0
    # A continued checkpoint takes a new scaling from the data instead of keeping its own.
    rescale: bool = False
    # How positions are scaled: by 'quantiles' of the data or by the 'ranges' of the joints.
    normalise: str = 'quantiles'
    # Frames move by up to this many recorded steps, as they do on a robot.
    frame_jitter: int = 2

    # Muon takes the matrices, AdamW everything else; 'adamw' takes all.
    optimiser: str = 'muon'
    muon_rate: float = 2e-3
    adamw_rate: float = 1e-3
    weight_decay: float = 0.01
    # Steps to the full rate, then a cosine down to this share of it.
    warmup_steps: int = 60
    final_rate_share: float = 0.02
    clip_norm: float = 1.0
    ema: float = 0.99

    # Multiply wide linear layers in bfloat16 where the CPU has units for it (such as avx512_bf16):
    # about 1.4 times as fast. Elsewhere they stay in float32.
    bfloat16: bool = False

    # Seconds between resumable snapshots, and steps between log lines.
    snapshot_s: float = 60.0
    log_every: int = 20
    # Low level: steps between rollouts on validation seeds, 0 for never; which tasks, how many.
    rollout_every: int = 0
    rollout_tasks: tuple[str, ...] = ()
    rollout_count: int = 10
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ('told_tasks', 'rollout_tasks', 'absolute_joints', 'action_weights'):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        # CHECK: words are known
        for name, allowed in (
                ('level', LEVELS), ('optimiser', OPTIMISERS), ('normalise', NORMALISATIONS),
                ('memory_mode', MEMORY_MODES)):
            if getattr(self, name) not in allowed:
                raise ConfigError(
                    f'{name} must be one of {list(allowed)}. Got {getattr(self, name)!r}.')
        # CHECK: counts are positive
        for name in ('steps', 'episodes_per_batch', 'noise_samples', 'clip_frames', 'threads',
                     'log_every'):
            if getattr(self, name) < 1:
                raise ConfigError(f'{name} must be at least 1. Got {getattr(self, name)}.')
        # CHECK: every decision counts
        if self.change_weight <= 0:
            raise ConfigError(f'change_weight must be above 0. Got {self.change_weight}.')
        # CHECK: rollouts have a policy that acts, and tasks
        if self.rollout_every and (self.level != 'low' or not self.rollout_tasks):
            raise ConfigError(
                f"rollout_every needs level 'low' and rollout_tasks. Got level {self.level!r} and "
                f'tasks {list(self.rollout_tasks)}.')
        # CHECK: shares are shares
        for name in ('stale_memory_of', 'misheard_subtask_of'):
            for task, share in getattr(self, name).items():
                if not 0.0 <= share <= 1.0:
                    raise ConfigError(f'{name} {task!r} must be 0 to 1. Got {share}.')
        for name in (
                'history_dropout', 'subtask_dropout', 'ema', 'final_rate_share', 'row_decay',
                'stale_memory', 'copy_share'):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ConfigError(f'{name} must be 0 to 1. Got {getattr(self, name)}.')

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> 'TrainConfig':
        """Return the settings; :raises ConfigError: naming the nearest word if one is unknown."""
        known = [item.name for item in fields(cls)]
        for name in values:
            if name not in known:
                near = get_close_matches(name, known, 1)
                raise ConfigError(f'Unknown training setting {name!r}. Did you mean {near}?')
        return cls(**values)


PRESETS = {
    'debug': TrainConfig(steps=2, episodes_per_batch=2, noise_samples=1, log_every=1),
    'low': TrainConfig(model='sim-arm'),
    'high': TrainConfig(
        level='high', model='sim-arm', steps=1500, episodes_per_batch=4, history_dropout=0.0),
}


def train_preset(name: str, **changes: Any) -> TrainConfig:
    """Return a preset with some settings changed."""
    if name not in PRESETS:
        near = get_close_matches(name, PRESETS, 1)
        raise ConfigError(
            f'Unknown training preset {name!r}. Did you mean {near}? Known: {sorted(PRESETS)}.')
    return replace(PRESETS[name], **changes)


def changed(config: TrainConfig, assignments: list[str]) -> TrainConfig:
    """
    Return the settings after ``name=value`` texts, such as ``steps=10``.

    ``model_changes.name=value`` changes one field of the model.

    :raises ConfigError: if a text has no ``=``, names no setting, or gives no number for one.
    """
    values = config.to_dict()
    for assignment in assignments:
        name, equals, text = assignment.partition('=')
        if not equals:
            raise ConfigError(f'Expected name=value. Got {assignment!r}.')
        value = yaml.safe_load(text)
        if isinstance(values.get(name), float):
            value = _number(name, value)
        if name.startswith('model_changes.'):
            values['model_changes'][name.removeprefix('model_changes.')] = value
        else:
            values[name] = value
    return TrainConfig.from_dict(values)


def _number(name: str, value: Any) -> float:
    """Return a number; YAML takes ``2e-3``, which has no point, for a word."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ConfigError(f'{name} must be a number. Got {value!r}.') from None
