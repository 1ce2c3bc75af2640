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

"""What the low-level policy is told, the same in training and on the robot."""


def low_level_prompt(goal: str, subtask: str) -> str:
    """
    Return the subtask as a text, or the goal where no subtask is told.

    A subtask says all that a skill needs. Without the goal beside it the same skill has the same
    words in every task, and the text is a quarter as long, which halves the backbone's work.
    """
    return f'Subtask: {subtask}' if subtask else f'Task: {goal}'
