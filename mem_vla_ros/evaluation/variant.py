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
What is evaluated on a bag: the recorded answers, or policies that are run on it again.

A variant is written ``name``, or ``name:memory_mode``, where the name is

- ``recorded``: the answers that are in the bag;
- ``hold``: a policy that stays where the arm is, the floor for action errors;
- ``scripted``: the simulator's expert (needs the topic ``oracle``);
- a checkpoint folder of a low-level policy, which is given the recorded or annotated subtasks;
- ``LOW+HIGH``: checkpoint folders of both levels.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.robot import Robot
from mem_vla_ros.policies.constant import ConstantPolicy
from mem_vla_ros.policies.high_level_settings import MEMORY_MODES
from mem_vla_ros.policies.interface import HighLevelPolicy, LowLevelPolicy

if TYPE_CHECKING:
    from mem_vla_ros.models.checkpoint import Checkpoint

RECORDED = 'recorded'
BUILT_IN = (RECORDED, 'hold', 'scripted')


@dataclass(frozen=True)
class Variant:
    """
    One thing to evaluate.

    :param backend: One of ``BUILT_IN``, or one or two checkpoint folders.
    :param memory_mode: How the high level keeps its memory.
    """

    backend: str
    memory_mode: str = 'language'

    @property
    def name(self) -> str:
        """Return the variant as it is written."""
        if self.memory_mode == 'language':
            return self.backend
        return f'{self.backend}:{self.memory_mode}'

    @property
    def is_recorded(self) -> bool:
        """Return whether nothing is run for it."""
        return self.backend == RECORDED

    @staticmethod
    def parse(text: str) -> 'Variant':
        """
        Read a variant as it is written.

        :raises ConfigError: if backend or memory mode are unknown.
        """
        backend, _, mode = text.partition(':')
        mode = mode or 'language'
        folders = backend.split('+')
        absent = [folder for folder in folders if not (Path(folder) / 'config.json').is_file()]
        if backend not in BUILT_IN and (absent or len(folders) > 2):
            raise ConfigError(
                f'Variant {text!r}: {backend!r} must be one of {list(BUILT_IN)}, or one or two '
                f'checkpoint folders. No checkpoint: {absent}.')
        if mode not in MEMORY_MODES:
            raise ConfigError(
                f'Variant {text!r}: memory mode must be one of {list(MEMORY_MODES)}. '
                f'Got {mode!r}.')
        return Variant(backend, mode)


@dataclass(frozen=True)
class VariantPolicies:
    """
    The policies of a variant.

    :param high_level: None if the recorded or annotated subtasks are to be used.
    :param needs_oracle: Whether ``set_oracle`` must be fed from the bag.
    """

    low_level: LowLevelPolicy
    high_level: HighLevelPolicy | None = None
    needs_oracle: bool = False


def make_policies(
    variant: Variant, robot: Robot, frames: int, stride: float, chunking: str = 'hard',
) -> VariantPolicies:
    """
    Return fresh policies for one episode's replay.

    :param frames: Frames that a policy without a wish of its own is given.
    :param stride: Time between them [s].
    :raises MemVlaError: if a checkpoint is not whole or not for this robot.
    """
    if variant.backend == 'scripted':
        from mem_vla_ros.sim.expert_policy import ExpertHighLevel, ExpertLowLevel
        return VariantPolicies(
            ExpertLowLevel(robot, frames, stride), ExpertHighLevel(), needs_oracle=True)
    if variant.backend == 'hold':
        return VariantPolicies(ConstantPolicy(robot.joint_names, frames=frames, stride=stride))
    from mem_vla_ros.policies.memvla_high_level import MemVlaHighLevel
    from mem_vla_ros.policies.memvla_low_level import MemVlaLowLevel
    low, _, high = variant.backend.partition('+')
    return VariantPolicies(
        MemVlaLowLevel(_load_checkpoint(low), robot, chunking=chunking),
        MemVlaHighLevel(_load_checkpoint(high)) if high else None)


@lru_cache(maxsize=2)
def _load_checkpoint(folder: str) -> 'Checkpoint':
    """Return a checkpoint, loaded once for all episodes; policies on it are made anew."""
    from mem_vla_ros.models.checkpoint import Checkpoint
    return Checkpoint.from_pretrained(folder)
