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
Small grammar of subtasks: ``verb [particle] objects [preposition place]``.

It reads imperatives ("pick up the light green bowl and place it in the top right cabinet") and
the past-tense sentences of a memory ("I placed a plate in the cabinet and moved to the counter.").
Words that it does not know are taken as parts of an object or a place, never dropped.
"""

from dataclasses import dataclass
import re

from mem_vla_ros.training.labels.english import is_plural, past_tense, read_number, singular

PICK, PLACE, MOVE, OPEN, CLOSE, DO, PASSING = (
    'pick', 'place', 'move', 'open', 'close', 'do', 'passing')

_KINDS = {
    PICK: 'pick grab grasp take get lift fetch retrieve collect remove unload',
    PLACE: 'place put set stow store lay drop return add pour throw stack hang insert load '
           'transfer deliver dump empty',
    MOVE: 'move go drive navigate walk travel approach',
    OPEN: 'open uncover unlock',
    CLOSE: 'close shut cover lock',
    PASSING: 'wait reach release hold grip align retract rest stop continue finish',
    DO: 'wipe wash rinse dry scrub clean fold unfold cut slice chop stir mix press push pull turn '
        'switch flip rotate plug unplug sweep mop vacuum shake scoop fill check look search find '
        'count tap ring water feed iron spray soap peel serve make tidy dust hand give bring tear '
        'roll wrap unwrap tie untie screw unscrew attach detach connect slide spread inspect scan '
        'measure weigh sort arrange knock light read write draw build assemble dim toggle start',
}
KIND_OF_VERB = {verb: kind for kind, verbs in _KINDS.items() for verb in verbs.split()}
_BASE_OF_PAST = {past_tense(verb): verb for verb in KIND_OF_VERB} | {
    'held': 'pick', 'holding': 'pick'}
_SUBJECT = frozenset({'i', 'am', 'have'})
_PARTICLES = frozenset({'up', 'down', 'away', 'out', 'off', 'on', 'over', 'back'})
_SWITCHES = frozenset({'turn', 'switch', 'plug'})
_PREPOSITIONS = frozenset({
    'in', 'into', 'inside', 'on', 'onto', 'to', 'under', 'underneath', 'at', 'from', 'with',
    'behind', 'beside', 'near', 'below', 'above', 'through', 'against', 'by', 'around', 'toward',
    'towards', 'between', 'next', 'for'})
_CANONICAL_PREPOSITION = {'into': 'in', 'inside': 'in', 'onto': 'on', 'towards': 'toward'}
_DETERMINERS = frozenset({
    'the', 'a', 'an', 'this', 'that', 'these', 'those', 'its', 'my', 'your', 'another', 'some',
    'all', 'both', 'each', 'every'})
_PRONOUNS = frozenset({'it', 'them', 'this', 'that', 'these', 'those', 'one'})
_TOKEN = re.compile(r"[\w'-]+|,")


@dataclass(frozen=True)
class Noun:
    """
    One object: ``two light green bowls`` has head ``bowl``, count 2, attributes light and green.

    :param rest: What follows ``of``, as in ``scoop of coffee``.
    :param plural: Named in the plural without a number, such as ``the potatoes``.
    """

    head: str
    attributes: tuple[str, ...] = ()
    rest: str = ''
    count: int = 1
    plural: bool = False
    definite: bool = True


@dataclass(frozen=True)
class Action:
    """
    One thing done: its kind, verb with particle, objects, and the place it ends at.

    :param place: With preposition, such as ``in the top right cabinet``; may be empty.
    :param source: The place that objects come from, with its preposition.
    :param pronoun: The object is only referred to: ``place it in the sink``.
    """

    kind: str
    verb: str
    particle: str = ''
    objects: tuple[Noun, ...] = ()
    place: str = ''
    source: str = ''
    pronoun: bool = False


def parse_subtask(text: str) -> list[Action]:
    """Return the actions of an imperative; several if it joins them with ``and``."""
    return [_parse_clause(clause) for clause in _clauses(_tokens(text), KIND_OF_VERB)]


def parse_memory(text: str) -> list[Action]:
    """Return the actions that a memory tells of, in its order."""
    actions = []
    for sentence in re.split(r'[.;!?]', text):
        words = [word for word in _tokens(sentence) if word not in _SUBJECT]
        for clause in _clauses(words, _BASE_OF_PAST):
            if clause[0] in _BASE_OF_PAST:
                actions.append(_parse_clause([_BASE_OF_PAST[clause[0]], *clause[1:]]))
    return actions


def head_of_place(place: str) -> str:
    """Return the noun of a place: ``in the top right cabinet`` -> ``cabinet``."""
    words = [word for word in place.split() if word not in _DETERMINERS][1:]
    for index, word in enumerate(words):
        if index and word in _PREPOSITIONS | {'of'}:
            words = words[:index]
            break
    return singular(words[-1]) if words else ''


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())


def _clauses(words: list[str], verbs: dict[str, str]) -> list[list[str]]:
    """Split at ``and``, ``then`` and commas that a verb follows."""
    clauses: list[list[str]] = [[]]
    for index, word in enumerate(words):
        joint = word in (',', 'and', 'then')
        following = next((other for other in words[index + 1:]
                          if other not in (',', 'and', 'then')), '')
        if joint and following in verbs and clauses[-1]:
            clauses.append([])
        elif not (joint and not clauses[-1]):
            clauses[-1].append(word)
    return [clause for clause in clauses if clause]


def _parse_clause(words: list[str]) -> Action:
    verb, rest = words[0], words[1:]
    particle = ''
    if rest and rest[0] in _PARTICLES and (len(rest) > 1 or verb in _SWITCHES):
        particle, rest = rest[0], rest[1:]
    objects, phrases = _split_phrases(rest)
    if len(objects) > 1 and objects[-1] in _PARTICLES:
        particle, objects = objects[-1], objects[:-1]
    pronoun = len(objects) == 1 and objects[0] in _PRONOUNS
    nouns = () if pronoun else tuple(_parse_nouns(objects))
    source = next((phrase for phrase in phrases if phrase[0] == 'from'), [])
    place = next((phrase for phrase in phrases if phrase[0] not in ('from', 'with', 'for')), [])
    return Action(
        _kind(verb, particle, nouns, pronoun), verb, particle, nouns, _phrase_text(place),
        _phrase_text(source), pronoun)


def _kind(verb: str, particle: str, nouns: tuple[Noun, ...], pronoun: bool) -> str:
    kind = KIND_OF_VERB.get(verb, DO)
    if verb in _SWITCHES and particle in ('on', 'off'):
        return OPEN if particle == 'on' else CLOSE
    if kind == MOVE and verb != 'approach' and (nouns or pronoun):
        return PLACE
    return kind


def _split_phrases(words: list[str]) -> tuple[list[str], list[list[str]]]:
    """Return the words of the objects, and the phrases that begin with a preposition."""
    objects: list[str] = []
    phrases: list[list[str]] = []
    for index, word in enumerate(words):
        side_of = word == 'to' and words[index + 2:index + 3] in (['left'], ['right'])
        begins = word in _PREPOSITIONS and (
            not phrases or word in ('from', 'with')
            or (word in ('to', 'into', 'onto') and phrases[-1][0] in ('from', 'with')
                and not side_of))
        if begins:
            phrases.append([word])
        elif phrases:
            phrases[-1].append(word)
        else:
            objects.append(word)
    return objects, phrases


def _parse_nouns(words: list[str]) -> list[Noun]:
    nouns: list[Noun] = []
    current: list[str] = []
    for word in [*words, ',']:
        if word not in (',', 'and'):
            current.append(word)
        elif current:
            nouns.append(_parse_noun(current))
            current = []
    return nouns


def _parse_noun(words: list[str]) -> Noun:
    definite = not words or words[0] not in ('a', 'an', 'another', 'some')
    core = [word for word in words if word not in _DETERMINERS] or words
    rest = ''
    if 'of' in core[1:]:
        cut = core.index('of', 1)
        core, rest = core[:cut], ' '.join(core[cut + 1:])
    count = read_number(core[0]) if len(core) > 1 else None
    core = core if count is None else core[1:]
    head = core[-1]
    return Noun(
        head=singular(head), attributes=tuple(core[:-1]), rest=rest,
        count=1 if count is None else count, plural=count is None and is_plural(head),
        definite=definite)


def _phrase_text(words: list[str]) -> str:
    if not words:
        return ''
    first = _CANONICAL_PREPOSITION.get(words[0], words[0])
    return ' '.join([first, *(word for word in words[1:] if word != ',')])
