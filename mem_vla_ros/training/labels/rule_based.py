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
Labels without a language model: a deterministic labeller on a small grammar.

The default offline, and the fallback where a language model's labels are refused.
"""

from collections.abc import Sequence

from mem_vla_ros.memory.memory_budget import MemoryBudget
from mem_vla_ros.training.labels.annotated_episode import AnnotatedSubtask
from mem_vla_ros.training.labels.fact_memory import FactMemory
from mem_vla_ros.training.labels.subtask_grammar import parse_subtask


class RuleBasedLabeller:
    """Writes the memories of one episode as its subtasks end."""

    def __init__(self, goal: str, budget: MemoryBudget) -> None:
        self._facts = FactMemory(goal)
        self._budget = budget

    def add(self, subtask: AnnotatedSubtask) -> str:
        """Return the memory after one more subtask; a failed one changes nothing."""
        if subtask.succeeded:
            for action in parse_subtask(subtask.text):
                self._facts.apply(action)
        return self._facts.render(self._budget)


def label_subtasks(
    goal: str, subtasks: Sequence[AnnotatedSubtask], budget: MemoryBudget,
) -> list[str]:
    """Return the memory after each subtask."""
    labeller = RuleBasedLabeller(goal, budget)
    return [labeller.add(subtask) for subtask in subtasks]
