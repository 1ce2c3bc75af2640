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
Naive language memory, the baseline: all past subtasks one after the other, cut at a length.

Failed attempts stay in it, so a subtask that is tried three times stands there three times; that
is the shift between training and running which the model-written memory avoids.
"""

from mem_vla_ros.core.errors import ConfigError

SEPARATOR = '; '


class NaiveMemory:
    """Concatenation of the subtasks so far, newest last, without the oldest ones past the cut."""

    def __init__(self, max_chars: int) -> None:
        if max_chars < 1:
            raise ConfigError(f'Naive memory: max_chars must be above 0. Got {max_chars}.')
        self.max_chars = max_chars

    def append(self, memory: str, subtask: str) -> str:
        """Return the memory with one more subtask, cut to whole subtasks at its start."""
        text = f'{memory}{SEPARATOR}{subtask}' if memory else subtask
        while len(text) > self.max_chars and SEPARATOR in text:
            text = text.split(SEPARATOR, 1)[1]
        return text[-self.max_chars:]
