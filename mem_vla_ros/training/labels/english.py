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

"""The little English that labels need: past tense, plurals, articles and number words."""

_IRREGULAR_PAST = {
    'bend': 'bent', 'break': 'broke', 'bring': 'brought', 'build': 'built', 'cut': 'cut',
    'do': 'did', 'draw': 'drew', 'drive': 'drove', 'feed': 'fed', 'find': 'found',
    'get': 'got', 'give': 'gave', 'go': 'went', 'hang': 'hung', 'hide': 'hid', 'hold': 'held',
    'keep': 'kept', 'lay': 'laid', 'leave': 'left', 'make': 'made', 'put': 'put', 'set': 'set',
    'shake': 'shook', 'shut': 'shut', 'slide': 'slid', 'spin': 'spun', 'spread': 'spread',
    'stick': 'stuck', 'sweep': 'swept', 'swing': 'swung', 'take': 'took', 'tear': 'tore',
    'throw': 'threw', 'unplug': 'unplugged', 'wind': 'wound',
}
_IRREGULAR_PLURAL = {
    'knife': 'knives', 'leaf': 'leaves', 'loaf': 'loaves', 'shelf': 'shelves', 'foot': 'feet',
    'half': 'halves',
}
_SINGULAR = {plural: noun for noun, plural in _IRREGULAR_PLURAL.items()}
_ENDS_IN_S = frozenset({'glass', 'gas', 'lens', 'bus', 'compass', 'dress', 'press', 'mattress'})
_NUMBERS = (
    'zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten',
    'eleven', 'twelve')
_VOWELS = 'aeiou'


def past_tense(verb: str) -> str:
    """Return the simple past of a verb's base form: ``wipe`` -> ``wiped``."""
    if verb in _IRREGULAR_PAST:
        return _IRREGULAR_PAST[verb]
    if verb.endswith('e'):
        return f'{verb}d'
    if verb.endswith('y') and verb[-2:-1] not in _VOWELS:
        return f'{verb[:-1]}ied'
    if _doubles_its_end(verb):
        return f'{verb}{verb[-1]}ed'
    return f'{verb}ed'


def plural(noun: str) -> str:
    """Return the plural of a noun: ``dish`` -> ``dishes``."""
    if is_plural(noun):
        return noun
    if noun in _IRREGULAR_PLURAL:
        return _IRREGULAR_PLURAL[noun]
    if noun.endswith(('s', 'x', 'z', 'ch', 'sh')) or noun in ('potato', 'tomato'):
        return f'{noun}es'
    if noun.endswith('y') and noun[-2:-1] not in _VOWELS:
        return f'{noun[:-1]}ies'
    return f'{noun}s'


def singular(noun: str) -> str:
    """Return the singular of a noun, which may be one already: ``bowls`` -> ``bowl``."""
    if noun in _SINGULAR:
        return _SINGULAR[noun]
    if not is_plural(noun):
        return noun
    if noun.endswith('ies') and len(noun) > 4:
        return f'{noun[:-3]}y'
    if noun.endswith(('sses', 'xes', 'zes', 'ches', 'shes', 'oes')):
        return noun[:-2]
    return noun[:-1]


def is_plural(noun: str) -> bool:
    """Return whether a noun looks like a plural."""
    if noun in _SINGULAR:
        return True
    return noun.endswith('s') and not noun.endswith(('ss', 'us')) and noun not in _ENDS_IN_S


def with_article(phrase: str) -> str:
    """Return a singular phrase after ``a`` or ``an``."""
    return f'an {phrase}' if phrase[:1] in _VOWELS else f'a {phrase}'


def number_word(number: int) -> str:
    """Return a number as a word up to twelve, as digits above."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)


def read_number(word: str) -> int | None:
    """Return the number that a word or digits stand for, or None."""
    if word in _NUMBERS:
        return _NUMBERS.index(word)
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 7 else None


def join_list(parts: list[str]) -> str:
    """Return ``a``, ``a and b`` or ``a, b, and c``."""
    if len(parts) < 3:
        return ' and '.join(parts)
    return f'{", ".join(parts[:-1])}, and {parts[-1]}'


def _doubles_its_end(verb: str) -> bool:
    vowel_groups = sum(
        letter in _VOWELS and (index == 0 or verb[index - 1] not in _VOWELS)
        for index, letter in enumerate(verb))
    return (
        len(verb) > 2 and vowel_groups == 1 and verb[-1] not in 'aeiouwxy'
        and verb[-2] in _VOWELS and verb[-3] not in _VOWELS)
