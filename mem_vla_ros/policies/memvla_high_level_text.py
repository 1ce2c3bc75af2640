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
What the trained high-level policy is told and what it writes: the same in training and use.

Every text in it is one line already (``core.text.clean_line``), so nothing needs quotes.
"""

from mem_vla_ros.policies.answer_format import AnswerFormat


def high_level_question(goal: str, memory: str, subtask: str) -> str:
    """Return goal, memory and last subtask as one text."""
    return f'Task: {goal}\nMemory: {memory}\nLast subtask: {subtask}\nNext:\n'


def trained_answers(order: str = 'memory_first') -> AnswerFormat:
    """
    Return the form of the answers.

    A training target is ``trained_answers().write(subtask, next_memory, memory)`` and then the
    end-of-sequence token.
    """
    return AnswerFormat(order, quoted=False)
