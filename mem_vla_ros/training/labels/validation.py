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
Checks of a memory label: within the budget, nothing invented, nothing before its time.

A label may say only what the subtasks that succeeded so far say: every word of it must come from
them (or be grammar), and every clause that can be read must tell of something that was done, to
that object, at that place, no more often than it was done.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
import re

from mem_vla_ros.core.errors import TextRejected
from mem_vla_ros.memory.memory_budget import MemoryBudget
from mem_vla_ros.training.labels.annotated_episode import AnnotatedSubtask
from mem_vla_ros.training.labels.english import past_tense, read_number, singular
from mem_vla_ros.training.labels.subtask_grammar import (
    Action,
    head_of_place,
    KIND_OF_VERB,
    parse_memory,
    parse_subtask,
    PICK,
    PLACE,
)

BUDGET, EMPTY, FUTURE, FAILED, INVENTED, COUNT = (
    'budget', 'empty', 'future', 'failed_attempt', 'invented', 'count')

_GRAMMAR = '''
    a about after all already also am an and are as at be been before both but by completed
    currently done each every everything finished first for from had has have i in inside into is
    it its last my next no not nothing now of off on one only onto out over so still that the
    their them then there they this to toward under up was were which with away back down
    item object thing time total left other another
'''
_GRAMMAR_WORDS = frozenset(_GRAMMAR.split())
_WORD = re.compile(r"[a-z][a-z'-]*|\d+")
_GENERIC = frozenset({'item', 'object', 'thing'})


@dataclass(frozen=True)
class Rejection:
    """Why a label is refused, and the word or clause that it is refused for."""

    reason: str
    detail: str


@dataclass(frozen=True)
class LabelContext:
    """
    What a label is checked against.

    :param finished: All subtasks up to now, failed ones too.
    :param future: The subtasks after them.
    :param reference: The rule-based memory; where it has something to say, so must the label.
    """

    finished: Sequence[AnnotatedSubtask]
    future: Sequence[AnnotatedSubtask]
    reference: str = ''

    @property
    def succeeded(self) -> list[str]:
        """Return the texts of the subtasks that a memory may tell of."""
        return [subtask.text for subtask in self.finished if subtask.succeeded]

    @property
    def failed(self) -> list[str]:
        """Return the texts of the failed attempts."""
        return [subtask.text for subtask in self.finished if not subtask.succeeded]


def validate_label(
    memory: str, context: LabelContext, budget: MemoryBudget,
) -> Rejection | None:
    """Return why the memory is not a good label after the finished subtasks, or None."""
    try:
        text = budget.clean(memory)
    except TextRejected as error:
        return Rejection(BUDGET, str(error))
    if not text and context.reference:
        return Rejection(EMPTY, 'nothing is remembered')
    return _check_words(text, context) or _check_clauses(text, context)


def _check_words(text: str, context: LabelContext) -> Rejection | None:
    known = _GRAMMAR_WORDS | _vocabulary(context.succeeded)
    for word in _WORD.findall(text.lower()):
        if word in known or singular(word) in known or read_number(word) is not None:
            continue
        return Rejection(_reason(word, context), word)
    return None


def _reason(word: str, context: LabelContext) -> str:
    for reason, texts in (
            (FAILED, context.failed), (FUTURE, [subtask.text for subtask in context.future])):
        vocabulary = _vocabulary(texts)
        if word in vocabulary or singular(word) in vocabulary:
            return reason
    return INVENTED


def _vocabulary(texts: Iterable[str]) -> set[str]:
    """Return the words of the texts, with all verbs of the kinds that occur in them."""
    words: set[str] = set()
    kinds: set[str] = set()
    for text in texts:
        words.update(_WORD.findall(text.lower()))
        kinds.update(action.kind for action in parse_subtask(text))
    words |= {singular(word) for word in words}
    synonyms = kinds & {PICK, PLACE}
    verbs = {verb for verb, kind in KIND_OF_VERB.items() if kind in synonyms}
    verbs |= words & KIND_OF_VERB.keys()
    words |= verbs | {past_tense(verb) for verb in verbs}
    if 'move' in kinds:
        words |= {'moved', 'went'}
    if PICK in kinds:
        words |= {'hold', 'holding', 'held'}
    return words


def _check_clauses(text: str, context: LabelContext) -> Rejection | None:
    done = _deeds(action for line in context.succeeded for action in parse_subtask(line))
    for action in parse_memory(text):
        for deed, count in _deeds([action]).items():
            if deed[1] in _GENERIC:
                continue
            if deed not in done:
                return Rejection(_reason_of_deed(deed, context), ' '.join(filter(None, deed)))
            if count > done[deed] and deed[0] in (PICK, PLACE):
                return Rejection(COUNT, f'{count} {deed[1]}, but {done[deed]} happened')
    return None


def _reason_of_deed(deed: tuple[str, str, str], context: LabelContext) -> str:
    for reason, texts in (
            (FAILED, context.failed), (FUTURE, [subtask.text for subtask in context.future])):
        if deed in _deeds(action for text in texts for action in parse_subtask(text)):
            return reason
    return INVENTED


def _deeds(actions: Iterable[Action]) -> Counter[tuple[str, str, str]]:
    """
    Return how often each kind of action was done to each object, at a place and at all.

    A pronoun stands for the objects of the action before it.
    """
    deeds: Counter[tuple[str, str, str]] = Counter()
    objects: tuple[tuple[str, int], ...] = ()
    for action in actions:
        if not action.pronoun:
            objects = tuple((noun.head, noun.count) for noun in action.objects)
        place = head_of_place(action.place)
        for head, count in objects or (('', 1),):
            deeds[(action.kind, head, place)] += count
            if place:
                deeds[(action.kind, head, '')] += count
    return deeds
