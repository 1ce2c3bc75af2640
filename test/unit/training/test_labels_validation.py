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

"""Validation of memory labels."""

import pytest

from mem_vla_ros.memory.memory_budget import MemoryBudget
from mem_vla_ros.training.labels.annotated_episode import AnnotatedSubtask
from mem_vla_ros.training.labels.validation import LabelContext, validate_label

CONTEXT = LabelContext(
    finished=[
        AnnotatedSubtask('pick up the plate'),
        AnnotatedSubtask('place the plate in the cabinet'),
        AnnotatedSubtask('move to the counter'),
        AnnotatedSubtask('pick up the red bowl', 'failure'),
        AnnotatedSubtask('pick up the bowl'),
    ],
    future=[AnnotatedSubtask('place the bowl in the sink'), AnnotatedSubtask('wash the cup')],
    reference='I placed a plate in the cabinet, moved to the counter, and picked up a bowl.')


@pytest.mark.parametrize('memory', [
    CONTEXT.reference,
    'I put the plate into the cabinet. I am holding a bowl.',
    'I placed one plate in the cabinet and took a bowl.',
    'Placed the plate in the cabinet, then picked up the bowl.',
    'I placed one item in the cabinet and moved to the counter.'])
def test_true_and_short_labels_pass(memory: str) -> None:
    assert validate_label(memory, CONTEXT, MemoryBudget()) is None


@pytest.mark.parametrize(('memory', 'reason'), [
    ('', 'empty'),
    ('m' * 801, 'budget'),
    ('I placed a plate in the cabinet and picked up a spoon.', 'invented'),
    ('I placed a plate in the drawer.', 'invented'),
    ('I placed a plate on the counter.', 'invented'),
    ('I placed a bowl in the cabinet.', 'invented'),
    ('I opened the cabinet.', 'invented'),
    ('I picked up a cup.', 'future'),
    ('I placed the bowl in the sink.', 'future'),
    ('I picked up a red bowl.', 'failed_attempt'),
    ('I placed two plates in the cabinet.', 'count'),
    ('I placed a plate in the cabinet and tried to pick up a bowl twice.', 'invented')])
def test_false_labels_are_refused_with_their_reason(memory: str, reason: str) -> None:
    rejection = validate_label(memory, CONTEXT, MemoryBudget())
    assert rejection is not None
    assert rejection.reason == reason


def test_deed_of_the_future_on_a_known_object_is_refused() -> None:
    context = LabelContext(
        [AnnotatedSubtask('pick up the cup'), AnnotatedSubtask('wash the plate')],
        [AnnotatedSubtask('wash the cup')])
    rejection = validate_label('I washed the cup.', context, MemoryBudget())
    assert rejection is not None
    assert rejection.reason == 'future'


def test_failed_deed_on_a_known_object_is_refused() -> None:
    context = LabelContext(
        [AnnotatedSubtask('wash the cup', 'failure'), AnnotatedSubtask('pick up the cup'),
         AnnotatedSubtask('wash the plate')], [])
    rejection = validate_label('I washed the cup.', context, MemoryBudget())
    assert rejection is not None
    assert rejection.reason == 'failed_attempt'


def test_empty_label_is_right_where_nothing_needs_remembering() -> None:
    context = LabelContext([AnnotatedSubtask('open the fridge')], [])
    assert validate_label('', context, MemoryBudget()) is None
