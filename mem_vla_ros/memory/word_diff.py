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

"""Word-level difference between two memory texts."""

from dataclasses import dataclass
from difflib import SequenceMatcher

KEPT = 'kept'
ADDED = 'added'
REMOVED = 'removed'

_PUNCTUATION = '.,;:!?'


@dataclass(frozen=True)
class WordRun:
    """Neighbouring words with one fate: ``kept``, ``added`` or ``removed``."""

    kind: str
    text: str


def diff_words(old: str, new: str) -> list[WordRun]:
    """
    Return the runs of words that lead from the old text to the new one, in reading order.

    Kept and added runs make the new text. A word whose punctuation alone changed is kept.
    """
    old_words, new_words = old.split(), new.split()
    matcher = SequenceMatcher(
        None, [word.rstrip(_PUNCTUATION) for word in old_words],
        [word.rstrip(_PUNCTUATION) for word in new_words], autojunk=False)
    runs: list[WordRun] = []
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == 'equal':
            runs.append(WordRun(KEPT, ' '.join(new_words[new_from:new_to])))
            continue
        if old_to > old_from:
            runs.append(WordRun(REMOVED, ' '.join(old_words[old_from:old_to])))
        if new_to > new_from:
            runs.append(WordRun(ADDED, ' '.join(new_words[new_from:new_to])))
    return runs


def format_diff(old: str, new: str) -> str:
    """Return the difference on one line: ``[-removed-]`` and ``{+added+}`` around the words."""
    marks = {KEPT: '{}', REMOVED: '[-{}-]', ADDED: '{{+{}+}}'}
    return ' '.join(marks[run.kind].format(run.text) for run in diff_words(old, new))
