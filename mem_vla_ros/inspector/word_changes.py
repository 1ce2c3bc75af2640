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

"""What changed between two versions of the memory, word by word."""

from dataclasses import dataclass
from difflib import SequenceMatcher

KEPT = '='
REMOVED = '-'
ADDED = '+'


@dataclass(frozen=True)
class WordChange:
    """A run of words that was kept, removed or added."""

    kind: str
    text: str


def word_changes(before: str, after: str) -> tuple[WordChange, ...]:
    """Return the runs of words that lead from one text to the other, in reading order."""
    old, new = before.split(), after.split()
    changes = []
    for tag, old_from, old_to, new_from, new_to in SequenceMatcher(
            None, old, new, autojunk=False).get_opcodes():
        if tag == 'equal':
            changes.append(WordChange(KEPT, ' '.join(old[old_from:old_to])))
            continue
        if old_to > old_from:
            changes.append(WordChange(REMOVED, ' '.join(old[old_from:old_to])))
        if new_to > new_from:
            changes.append(WordChange(ADDED, ' '.join(new[new_from:new_to])))
    return tuple(changes)
