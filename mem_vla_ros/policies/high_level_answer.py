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

"""Answers of a high-level policy: what is wrong with a bad one, and the check of a good one."""

from collections.abc import Mapping

from mem_vla_ros.core.errors import PolicyError, TextRejected
from mem_vla_ros.core.text import clean_line, MAX_SUBTASK_CHARS
from mem_vla_ros.core.types import Decision
from mem_vla_ros.memory.memory_budget import MemoryBudget


class MalformedAnswer(PolicyError):  # noqa: N818
    """An answer is not in the form that was asked for."""


class OversizedAnswer(PolicyError):  # noqa: N818
    """An answer, its subtask or its memory is longer than allowed."""


def check_decision(decision: Decision, budget: MemoryBudget, memory: str = '') -> Decision:
    """
    Return the decision with both texts made safe.

    :param memory: The memory so far, which may always be kept: a restart can have made the
        budget smaller than it.
    :raises MalformedAnswer: if a text is missing or not text.
    :raises OversizedAnswer: if a text is over its budget; nothing is ever cut.
    """
    if not isinstance(decision, Decision):
        raise MalformedAnswer(f'Policy must return a Decision. Got {type(decision).__name__}.')
    for name in ('subtask', 'memory'):
        value = getattr(decision, name)
        if not isinstance(value, str):
            raise MalformedAnswer(f'{name} must be text. Got {type(value).__name__}.')
    if not isinstance(decision.details, Mapping):
        raise MalformedAnswer(
            f'details must be a mapping. Got {type(decision.details).__name__}.')
    if not decision.subtask.strip():
        raise MalformedAnswer('subtask is empty; expected what to do now.')
    try:
        return Decision(
            subtask=clean_line(decision.subtask, 'subtask', MAX_SUBTASK_CHARS),
            memory=memory if decision.memory == memory else budget.clean(decision.memory),
            details=decision.details)
    except TextRejected as error:
        raise OversizedAnswer(str(error)) from error
