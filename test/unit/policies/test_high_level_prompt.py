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

"""Prompt of the high-level policy and the strict reading of its answers."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.text import escape_unsafe
from mem_vla_ros.core.types import Decision, FrameStack, JointStack, Observation
from mem_vla_ros.policies.answer_format import AnswerFormat, ORDERS
from mem_vla_ros.policies.chat_model import ChatMessage
from mem_vla_ros.policies.high_level_answer import MalformedAnswer, OversizedAnswer
from mem_vla_ros.policies.high_level_prompt import HighLevelPrompt, load_prompt
from mem_vla_ros.policies.prompted_high_level import PromptedHighLevel

PROMPT_FILE = Path(__file__).parents[3] / 'config/prompts/high_level.yaml'
PROMPT = HighLevelPrompt('Answer as\n{format}')


def make_observation(frames: int = 3, padded: int = 1) -> Observation:
    images = np.stack([np.full((4, 4, 3), index, np.uint8) for index in range(frames)])
    valid = np.arange(frames) >= padded
    stamps = np.arange(frames, dtype=float)
    stack = FrameStack(images, stamps, valid)
    joints = JointStack(np.zeros((1, 7)), np.zeros(1), np.array([True]))
    return Observation(2.0, {'base': stack, 'rear': stack}, joints)


def shown_frames(prompt: HighLevelPrompt) -> list[int]:
    question = prompt.messages(make_observation(), 'm', 'g', 's')[-1]
    return [int(image[0, 0, 0]) for image in question.images]


@pytest.mark.parametrize(('fields', 'frames'), [
    ({}, [2, 2]), ({'frames': 0}, []), ({'frames': 2}, [1, 2, 1, 2]),
    ({'frames': 9}, [1, 2, 1, 2]), ({'cameras': ('rear',)}, [2]),
    ({'cameras': ('left_wrist',)}, [])])
def test_newest_valid_frames_of_the_chosen_cameras_are_shown(
        fields: dict, frames: list[int]) -> None:
    assert shown_frames(HighLevelPrompt('', **fields)) == frames


@given(st.text(), st.text(), st.text())
def test_goal_memory_and_subtask_stand_in_the_prompt_as_one_quoted_line_each(
        goal: str, memory: str, subtask: str) -> None:
    text = PROMPT.messages(make_observation(), memory, goal, subtask)[-1].text
    lines = text.split('\n')
    assert [json.loads(line.split(': ', 1)[1]) for line in lines[:3]] == [goal, memory, subtask]
    assert len(lines) == 4


@pytest.mark.parametrize(('order', 'answer'), [
    ('subtask_first', 'Subtask: "wipe"\nMemory: "I sat."'),
    ('memory_first', 'Memory: "I sat."\nSubtask: "wipe"'),
    ('subtask_first', '\nSubtask: wipe\nMemory: I sat.\n')])
def test_two_lines_in_order_are_a_decision(order: str, answer: str) -> None:
    assert HighLevelPrompt('', order=order).parse(answer, 'old') == Decision('wipe', 'I sat.')


def test_unchanged_keeps_the_memory() -> None:
    assert PROMPT.parse('Subtask: "wipe"\nMemory: unchanged', 'old').memory == 'old'


def test_quoted_unchanged_is_a_memory() -> None:
    assert PROMPT.parse('Subtask: "wipe"\nMemory: "unchanged"', 'old').memory == 'unchanged'


@pytest.mark.parametrize('answer', [
    '', 'Subtask: "wipe"', 'Memory: "m"\nSubtask: "wipe"', 'Sure!\nSubtask: "a"\nMemory: "b"',
    'Subtask: "a"\n\nMemory: "b"', '```\nSubtask: "a"\nMemory: "b"\n```',
    'Subtask "a"\nMemory: "b"',
    'Subtask: "a"\nMemory: "I placed a pl', 'Subtask: "a" b\nMemory: "c"',
    '{"subtask": "a", "memory": "b"}', 'Subtask: "a"\nMemory: "b"\nMemory: "c"',
    'subtask: "a"\nmemory: "b"'])
def test_anything_else_is_malformed(answer: str) -> None:
    with pytest.raises(MalformedAnswer):
        PROMPT.parse(answer, 'old')


def test_huge_answer_is_refused_unread() -> None:
    with pytest.raises(OversizedAnswer, match='allowed 4000'):
        PROMPT.parse('Subtask: "a"\nMemory: "' + 'b' * 4000 + '"', 'old')


@given(st.text(), st.text(), st.text(), st.booleans(), st.sampled_from(sorted(ORDERS)))
def test_written_answers_read_as_they_were_meant(
        subtask: str, memory: str, before: str, quoted: bool, order: str) -> None:
    subtask, memory, before = (escape_unsafe(text).strip() for text in (subtask, memory, before))
    form = AnswerFormat(order, quoted)
    answer = form.write(subtask, memory, before)
    assert form.read(answer, before) == Decision(subtask, memory)


@given(st.text(max_size=100))
def test_no_answer_breaks_the_reader(answer: str) -> None:
    try:
        decision = PROMPT.parse(answer, 'old')
    except MalformedAnswer:
        return
    assert isinstance(decision.memory, str)


@pytest.mark.parametrize('order', ['subtask_first', 'memory_first'])
def test_examples_of_the_shipped_prompt_read_as_they_should(order: str) -> None:
    prompt = load_prompt(PROMPT_FILE, order=order)
    answers = [message for message in prompt.messages(make_observation(), '', '', '')
               if message.role == 'assistant']
    for example, answer in zip(prompt.examples, answers, strict=True):
        decision = prompt.parse(answer.text, example['memory'])
        assert decision == Decision(example['subtask'], example['new_memory'])
    assert 'Memory: unchanged' in answers[-1].text


def test_instructions_name_the_answer_in_its_order() -> None:
    prompt = load_prompt(PROMPT_FILE, order='memory_first')
    system = prompt.messages(make_observation(), '', '', '')[0].text
    assert 'Memory: "..."\nSubtask: "..."' in system


@pytest.mark.parametrize('fields', [
    {'order': 'random'}, {'frames': -1}, {'examples': ({'goal': 'g'},)}])
def test_bad_prompt_settings_are_refused(fields: dict) -> None:
    with pytest.raises(ConfigError):
        HighLevelPrompt('', **fields)


@pytest.mark.parametrize('text', ['- a', 'unknown: 1', 'instructions: [', ''])
def test_bad_prompt_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / 'prompt.yaml'
    path.write_text(text)
    with pytest.raises(ConfigError, match='Prompt file'):
        load_prompt(path)


def test_prompted_policy_reports_the_length_of_its_prompt() -> None:
    class Echo:
        def complete(self, messages: list[ChatMessage], max_tokens: int) -> str:
            self.chars = sum(len(message.text) for message in messages)
            return 'Subtask: "wipe"\nMemory: unchanged'

    chat = Echo()
    decision = PromptedHighLevel(chat, PROMPT).decide(make_observation(), 'old', 'g', 's')
    assert decision == Decision('wipe', 'old', {'prompt_chars': chat.chars})
