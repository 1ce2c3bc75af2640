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

"""Rule-based labels: the paper's examples, and what merges, supersedes and cancels."""

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from mem_vla_ros.memory.memory_budget import MemoryBudget
from mem_vla_ros.training.labels.annotated_episode import AnnotatedSubtask
from mem_vla_ros.training.labels.english import is_plural, past_tense, plural, singular
from mem_vla_ros.training.labels.rule_based import label_subtasks
from mem_vla_ros.training.labels.subtask_grammar import head_of_place, parse_subtask
from mem_vla_ros.training.labels.validation import LabelContext, validate_label


def memories(*texts: str, goal: str = 'tidy up', max_chars: int = 800) -> list[str]:
    """Return the memory after each subtask; a leading ``!`` marks a failed one."""
    subtasks = [
        AnnotatedSubtask(text.removeprefix('!'), 'failure' if text[0] == '!' else 'success')
        for text in texts]
    return label_subtasks(goal, subtasks, MemoryBudget(max_chars))


def test_paper_example_plate_and_bowl() -> None:
    assert memories(
        'pick up the plate', 'place the plate in the cabinet', 'move to the counter',
        'pick up the bowl',
    ) == [
        'I picked up a plate.',
        'I placed a plate in the cabinet.',
        'I placed a plate in the cabinet and moved to the counter.',
        'I placed a plate in the cabinet, moved to the counter, and picked up a bowl.',
    ]


def test_paper_example_three_bowls_are_merged() -> None:
    assert memories(
        'put the light green bowl into the top right cabinet',
        'put the dark blue bowl into the top right cabinet',
        'put the bright yellow bowl into the top right cabinet',
    )[-1] == 'I placed three bowls in the top right cabinet.'


def test_paper_example_failed_attempts_leave_no_trace() -> None:
    assert memories(
        '!pick up bowl', '!pick up bowl', 'pick up bowl', 'place bowl in cabinet',
    ) == ['', '', 'I picked up a bowl.', 'I placed a bowl in cabinet.']


@pytest.mark.parametrize(('texts', 'memory'), [
    (('move to the sink', 'go to the table'), 'I moved to the table.'),
    (('open the fridge', 'close the fridge'), ''),
    (('open the top drawer', 'close the bottom drawer'),
     'I opened the top drawer and closed the bottom drawer.'),
    (('turn on the stove', 'turn the stove off'), ''),
    (('switch on the lamp',), 'I switched on the lamp.'),
    (('wipe the counter with the sponge', 'wipe the counter'), 'I wiped the counter.'),
    (('wash the plate', 'wash the plate'), 'I washed two plates.'),
    (('add a scoop of coffee to the grinder',) * 3,
     'I added three scoops of coffee to the grinder.'),
    (('pick up the pot and place it in the sink',), 'I placed a pot in the sink.'),
    (('pick up the apple', 'put down the apple'), ''),
    (('get the potatoes, butter and milk from the fridge',),
     'I picked up the potatoes, the butter, and the milk.'),
    (('place the plate in the sink', 'place the cup in the sink'),
     'I placed a plate and a cup in the sink.'),
    (('place two plates in the sink', 'pick up the plate from the sink'),
     'I placed a plate in the sink and picked up a plate.'),
    (('place the lid on the countertop to the left of the sink',),
     'I placed a lid on the countertop to the left of the sink.'),
    (('move the cup from the table to the shelf',), 'I moved a cup to the shelf.'),
    (('pick up the red cup', 'pick up the blue cup'), 'I picked up two cups.'),
    (('pick up the red cup', 'place the cup on the shelf'), 'I placed a cup on the shelf.'),
    (('wait', 'hold the cup', 'stop'), ''),
    (('frobnicate the widget',), 'I frobnicated the widget.'),
])
def test_facts_merge_supersede_and_cancel(texts: tuple[str, ...], memory: str) -> None:
    assert memories(*texts)[-1] == memory


def test_attributes_that_the_goal_names_are_kept() -> None:
    assert memories(
        'wash the blue plate', 'wash the black plate', 'wash the red cup', 'wash the green cup',
        goal='Wash the blue plate and black plate.',
    )[-1] == 'I washed the blue plate, the black plate, and two cups.'


def test_memory_is_compressed_to_its_budget_and_keeps_what_is_held() -> None:
    texts = [f'place the {colour} {thing} in the {place}'
             for colour in ('red', 'green') for thing in ('cup', 'fork', 'plate', 'jar')
             for place in ('sink', 'cabinet', 'top drawer')]
    for max_chars in (200, 100, 40):
        memory = memories(*texts, 'pick up the spoon', max_chars=max_chars)[-1]
        assert len(memory) <= max_chars
        assert 'picked up a spoon' in memory


def test_memory_of_eight_hours_stays_short() -> None:
    round_trip = ['pick up the plate', 'wash the plate', 'place the plate in the rack'] * 2000
    memory = memories(*round_trip)[-1]
    assert memory == 'I washed 2000 plates and placed 2000 plates in the rack.'


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=60), max_size=6))
def test_any_text_is_labelled_within_the_budget(texts: list[str]) -> None:
    for memory in memories(*texts, max_chars=120):
        assert len(memory) <= 120


WORDS = st.sampled_from([
    'pick', 'up', 'place', 'the', 'bowl', 'plate', 'in', 'sink', 'and', 'it', 'move', 'to', 'open',
    'fridge', 'close', 'two', 'red', 'from', ',', 'with', 'of', 'wipe', 'on', 'off', 'turn'])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(WORDS, min_size=1, max_size=9).map(' '.join), max_size=6))
def test_any_order_of_known_words_is_labelled(texts: list[str]) -> None:
    assert all(not memory or memory.startswith('I ') for memory in memories(*texts))


OBJECTS = st.sampled_from(['plate', 'red bowl', 'blue bowl', 'cup', 'sponge'])
PLACES = st.sampled_from(['sink', 'cabinet', 'top drawer'])
SUBTASKS = st.one_of(
    st.builds('pick up the {}'.format, OBJECTS), st.builds('wash the {}'.format, OBJECTS),
    st.builds('place the {} in the {}'.format, OBJECTS, PLACES),
    st.builds('open the {}'.format, PLACES), st.builds('close the {}'.format, PLACES),
    st.builds('move to the {}'.format, PLACES))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(SUBTASKS, st.booleans()), min_size=1, max_size=12))
def test_rules_pass_the_validation_of_labels(steps: list[tuple[str, bool]]) -> None:
    subtasks = [AnnotatedSubtask(text, 'success' if good else 'failure') for text, good in steps]
    budget = MemoryBudget()
    memory = label_subtasks('tidy up', subtasks, budget)[-1]
    assert validate_label(memory, LabelContext(subtasks, []), budget) is None


@pytest.mark.parametrize(('verb', 'past'), [
    ('wipe', 'wiped'), ('dry', 'dried'), ('grab', 'grabbed'), ('open', 'opened'), ('put', 'put'),
    ('scoop', 'scooped'), ('stir', 'stirred'), ('take', 'took'), ('pour', 'poured'),
    ('play', 'played'), ('fix', 'fixed')])
def test_past_tense(verb: str, past: str) -> None:
    assert past_tense(verb) == past


@pytest.mark.parametrize(('one', 'many'), [
    ('bowl', 'bowls'), ('dish', 'dishes'), ('knife', 'knives'), ('glass', 'glasses'),
    ('berry', 'berries'), ('tray', 'trays'), ('box', 'boxes'), ('potato', 'potatoes'),
    ('scoop', 'scoops')])
def test_plural_and_singular(one: str, many: str) -> None:
    assert (plural(one), singular(many)) == (many, one)
    assert is_plural(many)
    assert not is_plural(one)


def test_pronoun_and_compound_are_two_actions() -> None:
    first, second = parse_subtask('pick up the pot and place it in the sink')
    assert (first.kind, second.kind, second.pronoun) == ('pick', 'place', True)


def test_head_of_a_place_is_its_noun() -> None:
    assert head_of_place('on the countertop to the left of the sink') == 'countertop'
