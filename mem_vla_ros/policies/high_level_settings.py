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

"""Settings of the loop around a high-level policy."""

from dataclasses import dataclass, field

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.memory.memory_budget import MemoryBudget

MEMORY_MODES = ('language', 'naive', 'none')


@dataclass(frozen=True)
class HighLevelSettings:
    """
    How the loop runs.

    :param memory_mode: ``language`` (written by the policy), ``naive`` (all past subtasks, cut at
        ``naive_max_chars``) or ``none`` (always empty).
    :param period_s: Time between two decisions when nothing happens [s].
    :param max_backoff_s: After n failures in a row the period doubles n times, up to this [s].
    :param naive_max_chars: Length at which the naive memory drops its oldest subtasks.
    :param retry_keeps_memory: Refuse a new memory while the subtask stays the same and has not
        ended (``subtask_ended()``, or a decision with ``details['subtask_done']``). For prompted
        models. A trained or scripted policy that decides this itself, or that counts repeated
        subtasks, wants False.
    """

    memory_mode: str = 'language'
    period_s: float = 1.0
    max_backoff_s: float = 30.0
    budget: MemoryBudget = field(default_factory=MemoryBudget)
    naive_max_chars: int = 2000
    retry_keeps_memory: bool = True

    def __post_init__(self) -> None:
        # CHECK: the mode is known
        if self.memory_mode not in MEMORY_MODES:
            raise ConfigError(
                f'memory_mode must be one of {list(MEMORY_MODES)}. Got {self.memory_mode!r}.')
        # CHECK: times are positive
        if not 0 < self.period_s <= self.max_backoff_s:
            raise ConfigError(
                'period_s must be above 0 and at most max_backoff_s. '
                f'Got {self.period_s} and {self.max_backoff_s}.')

    @property
    def memory_budget(self) -> MemoryBudget:
        """Return the budget of the memory in this mode."""
        if self.memory_mode == 'naive':
            return MemoryBudget(self.naive_max_chars, max_tokens=self.naive_max_chars)
        return self.budget

    def period_after(self, failures_in_row: int) -> float:
        """Return how long to wait for the next decision after so many failures [s]."""
        return min(self.period_s * 2.0 ** min(failures_in_row, 32), self.max_backoff_s)
