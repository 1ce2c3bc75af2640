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
What a robot still needs to know about what it did: facts that merge, supersede and cancel.

Placing an object ends holding it; a new place to stand replaces the old one; closing what was
opened cancels it; alike objects at one place become a number.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from mem_vla_ros.memory.memory_budget import MemoryBudget
from mem_vla_ros.training.labels.english import (
    join_list,
    number_word,
    past_tense,
    plural,
    with_article,
)
from mem_vla_ros.training.labels.subtask_grammar import (
    Action,
    CLOSE,
    DO,
    head_of_place,
    MOVE,
    Noun,
    OPEN,
    PICK,
    PLACE,
)

_SAID_AS_PLACED = frozenset({'place', 'put', 'set', 'stow', 'store', 'lay', 'return', 'drop'})
_LEAVES_NOTHING = frozenset({'down', 'back', 'up'})
_FIXTURES = frozenset({
    'board', 'button', 'cabinet', 'counter', 'countertop', 'cupboard', 'desk', 'dishwasher',
    'door', 'drawer', 'floor', 'fridge', 'lamp', 'light', 'microwave', 'mirror', 'oven',
    'refrigerator', 'shelf', 'sink', 'stove', 'stovetop', 'table', 'wall', 'window'})
_UNCOUNTED = frozenset({
    'bread', 'butter', 'cheese', 'coffee', 'flour', 'juice', 'ketchup', 'milk', 'mustard', 'oil',
    'pepper', 'rice', 'salt', 'sauce', 'soap', 'sugar', 'tea', 'trash', 'water'})


@dataclass
class Fact:
    """One clause of the memory: a verb in the past, objects, and a place."""

    kind: str
    verb: str
    place: str = ''
    items: list[Noun] = field(default_factory=list)

    def render(self) -> str:
        """Return the clause, such as ``placed three bowls in the sink``."""
        objects = join_list([_render_noun(item, self.kind) for item in self.items])
        return ' '.join(part for part in (self.verb, objects, self.place) if part)


class FactMemory:
    """
    Facts of one episode so far, oldest first.

    :param goal: Attributes that it names are kept: a goal about the blue plate needs to know
        which plate was washed.
    """

    def __init__(self, goal: str) -> None:
        self._goal = f' {goal.lower()} '
        self._facts: list[Fact] = []
        self._last_objects: tuple[Noun, ...] = ()

    def apply(self, action: Action) -> None:
        """Take in an action that succeeded; one that passes, such as waiting, leaves nothing."""
        objects = self._last_objects if action.pronoun else action.objects
        if objects:
            self._last_objects = objects
        if action.kind == MOVE:
            self._drop(MOVE)
            place = action.place or ' '.join(f'to the {noun.head}' for noun in objects)
            self._facts.append(Fact(MOVE, 'moved', place))
        elif action.kind == PICK:
            self._take_away(objects, head_of_place(action.source))
            self._merge(Fact(PICK, 'picked up'), objects)
        elif action.kind == PLACE:
            self._put(action, objects)
        elif action.kind in (OPEN, CLOSE):
            self._switch(action, objects)
        elif action.kind == DO:
            self._merge(Fact(DO, _past(action), action.place), objects)

    def render(self, budget: MemoryBudget) -> str:
        """Return the facts as one sentence, compressed as far as the budget needs."""
        facts = self._facts
        text = _sentence(facts)
        for compress in (_without_attributes, _with_counted_items):
            if budget.fits(text):
                return text
            facts = [compress(fact) for fact in facts]
            text = _sentence(facts)
        while facts and not budget.fits(text):
            facts = _without_oldest(facts)
            text = _sentence(facts)
        return text

    def _put(self, action: Action, objects: Iterable[Noun]) -> None:
        self._release(objects)
        if not action.place and action.particle in _LEAVES_NOTHING:
            return
        if action.source:
            self._take_away(objects, head_of_place(action.source))
        plain = action.verb in _SAID_AS_PLACED and action.place
        verb = 'placed' if plain else _past(action)
        self._merge(Fact(PLACE, verb, action.place), objects)

    def _switch(self, action: Action, objects: Iterable[Noun]) -> None:
        """Add what was opened or switched on; what is undone again cancels out."""
        opposite = CLOSE if action.kind == OPEN else OPEN
        left = []
        for noun in objects:
            opened = self._find(opposite, noun)
            if opened is None:
                left.append(noun)
            else:
                opened.items = [item for item in opened.items if not _same(item, noun)]
        self._forget_empty()
        if left:
            self._merge(Fact(action.kind, _past(action)), left)

    def _merge(self, fact: Fact, objects: Iterable[Noun]) -> None:
        for known in self._facts:
            if (known.kind, known.verb, known.place) == (fact.kind, fact.verb, fact.place):
                fact = known
                break
        else:
            self._facts.append(fact)
        for noun in objects:
            self._merge_item(fact, noun)
        self._forget_empty()

    def _merge_item(self, fact: Fact, noun: Noun) -> None:
        if not self._is_in_goal(noun):
            for index, item in enumerate(fact.items):
                if _same_kind(item, noun) and not self._is_in_goal(item):
                    if noun.head in _FIXTURES and item.attributes != noun.attributes:
                        continue
                    fact.items[index] = _together(item, noun)
                    return
        if noun not in fact.items:
            fact.items.append(noun)

    def _is_in_goal(self, noun: Noun) -> bool:
        phrase = ' '.join([*noun.attributes, noun.head])
        return bool(noun.attributes) and phrase in self._goal

    def _release(self, objects: Iterable[Noun]) -> None:
        for noun in objects:
            held = self._find(PICK, noun)
            if held is not None:
                _take_one(held, noun)
        self._forget_empty()

    def _take_away(self, objects: Iterable[Noun], place: str) -> None:
        for noun in objects:
            for fact in self._facts:
                if fact.kind == PLACE and place and head_of_place(fact.place) == place:
                    _take_one(fact, noun)
        self._forget_empty()

    def _find(self, kind: str, noun: Noun) -> Fact | None:
        for fact in self._facts:
            if fact.kind == kind and any(_same(item, noun) for item in fact.items):
                return fact
        return None

    def _drop(self, kind: str) -> None:
        self._facts = [fact for fact in self._facts if fact.kind != kind]

    def _forget_empty(self) -> None:
        self._facts = [fact for fact in self._facts if fact.items or fact.kind in (MOVE, DO)]


def _past(action: Action) -> str:
    past = past_tense(action.verb)
    return f'{past} {action.particle}' if action.particle else past


def _same_kind(one: Noun, other: Noun) -> bool:
    return (one.head, one.rest) == (other.head, other.rest)


def _same(one: Noun, other: Noun) -> bool:
    """Return whether two mentions may mean one object: attributes are often left out."""
    mine, others = set(one.attributes), set(other.attributes)
    return _same_kind(one, other) and (mine <= others or others <= mine)


def _together(one: Noun, other: Noun) -> Noun:
    attributes = one.attributes if one.attributes == other.attributes else ()
    if one.plural or other.plural:
        return replace(one, plural=True, attributes=attributes)
    if one.head in _UNCOUNTED or (one.head in _FIXTURES and not one.rest):
        return replace(one, attributes=attributes)
    return replace(one, attributes=attributes, count=one.count + other.count)


def _take_one(fact: Fact, noun: Noun) -> None:
    for index, item in enumerate(fact.items):
        if _same(item, noun):
            if item.count > noun.count:
                fact.items[index] = replace(item, count=item.count - noun.count)
            else:
                del fact.items[index]
            return


def _render_noun(noun: Noun, kind: str) -> str:
    words = ' '.join([*noun.attributes, noun.head])
    tail = f' of {noun.rest}' if noun.rest else ''
    if noun.count != 1:
        many = ' '.join([*noun.attributes, plural(noun.head)])
        return f'{number_word(noun.count)} {many}{tail}'
    if noun.plural:
        return f'the {" ".join([*noun.attributes, plural(noun.head)])}{tail}'
    handled = kind in (PICK, PLACE) and noun.head not in _FIXTURES
    if noun.head not in _UNCOUNTED and (handled or not noun.definite):
        return with_article(words) + tail
    return f'the {words}{tail}'


def _sentence(facts: list[Fact]) -> str:
    clauses = [fact.render() for fact in facts]
    return f'I {join_list(clauses)}.' if clauses else ''


def _without_attributes(fact: Fact) -> Fact:
    items: list[Noun] = []
    for noun in fact.items:
        plain = replace(noun, attributes=())
        for index, item in enumerate(items):
            if _same_kind(item, plain):
                items[index] = replace(item, count=item.count + plain.count)
                break
        else:
            items.append(plain)
    return replace(fact, items=items)


def _with_counted_items(fact: Fact) -> Fact:
    if len(fact.items) < 3:
        return fact
    return replace(fact, items=[Noun('item', count=sum(item.count for item in fact.items))])


def _without_oldest(facts: list[Fact]) -> list[Fact]:
    """Drop the oldest fact about the past; what is held, open or near goes last."""
    for index, fact in enumerate(facts):
        if fact.kind in (PLACE, DO):
            return facts[:index] + facts[index + 1:]
    return facts[1:]
