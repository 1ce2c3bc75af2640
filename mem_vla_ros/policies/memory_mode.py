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

"""Memory modes: which memory follows a decision."""

from dataclasses import dataclass

from mem_vla_ros.core.types import Decision
from mem_vla_ros.memory.naive_memory import NaiveMemory
from mem_vla_ros.policies.high_level_settings import HighLevelSettings


@dataclass(frozen=True)
class Situation:
    """What a decision was made in."""

    memory: str
    goal: str
    subtask: str
    subtask_ended: bool


def next_memory(
    decision: Decision, situation: Situation, settings: HighLevelSettings,
) -> str:
    """Return the memory after a decision: the policy's own, the naive one, or none."""
    moved_on = (
        decision.subtask != situation.subtask or situation.subtask_ended
        or bool(decision.details.get('subtask_done')))
    if settings.memory_mode == 'none':
        return ''
    if settings.memory_mode == 'naive':
        if not moved_on or not situation.subtask:
            return situation.memory
        naive = NaiveMemory(settings.naive_max_chars)
        return naive.append(situation.memory, situation.subtask)
    if settings.retry_keeps_memory and not moved_on:
        return situation.memory
    return decision.memory


def told_subtask(subtask: str, memory_mode: str) -> str:
    """Return the last subtask as the policy is told it: it is memory too, so ``none`` hides it."""
    return '' if memory_mode == 'none' else subtask
