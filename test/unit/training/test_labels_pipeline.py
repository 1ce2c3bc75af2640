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

"""Label pipeline: a language model that lies, the cache, files in and out."""

from collections.abc import Sequence
import json
from pathlib import Path

import pytest

from mem_vla_ros.core.errors import ConfigError, PolicyError
from mem_vla_ros.memory.memory_budget import MemoryBudget
from mem_vla_ros.policies.chat_model import ChatMessage
from mem_vla_ros.training.labels.annotated_episode import (
    AnnotatedEpisode,
    AnnotatedSubtask,
    format_episode,
    parse_episode,
    read_episodes,
)
from mem_vla_ros.training.labels.label_cache import LabelCache
from mem_vla_ros.training.labels.labeller import Labeller
from mem_vla_ros.training.labels.pipeline import label_file

EPISODE = AnnotatedEpisode('e1', 'Put the dishes away.', (
    AnnotatedSubtask('pick up the bowl', 'failure', 0.0, 2.0),
    AnnotatedSubtask('pick up the bowl', 'success', 2.0, 5.0),
    AnnotatedSubtask('place the bowl in the cabinet', 'success', 5.0, 9.0)))
GOOD = ['{"memory": "I took a bowl."}', '{"memory": "I put a bowl in the cabinet."}']


class Script:
    """A chat model that gives the listed answers."""

    def __init__(self, answers: Sequence[str | BaseException]) -> None:
        self.answers = list(answers)
        self.questions: list[str] = []

    def complete(self, messages: Sequence[ChatMessage], max_tokens: int) -> str:
        self.questions.append(messages[-1].text)
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def write_input(path: Path, *episodes: AnnotatedEpisode) -> Path:
    path.write_text('\n'.join(format_episode(episode) for episode in episodes) + '\n')
    return path


def test_records_lead_from_memory_to_next_memory() -> None:
    records = Labeller(MemoryBudget()).label(EPISODE)
    assert [(record.memory, record.subtask, record.next_memory, record.source)
            for record in records] == [
        ('', 'pick up the bowl', '', 'kept'),
        ('', 'pick up the bowl', '', 'kept'),
        ('', 'place the bowl in the cabinet', 'I picked up a bowl.', 'rules'),
        ('I picked up a bowl.', 'done', 'I placed a bowl in the cabinet.', 'rules')]
    assert [(record.start, record.end) for record in records] == [
        (0.0, 2.0), (2.0, 5.0), (5.0, 9.0), (9.0, 9.0)]


def test_good_answers_of_the_model_become_labels() -> None:
    records = Labeller(MemoryBudget(), Script(GOOD)).label(EPISODE)
    assert [record.next_memory for record in records][-2:] == [
        'I took a bowl.', 'I put a bowl in the cabinet.']
    assert records[-1].source == 'llm'


def test_model_is_not_asked_after_a_failure_and_never_sees_the_future() -> None:
    chat = Script(GOOD)
    Labeller(MemoryBudget(), chat).label(EPISODE)
    assert len(chat.questions) == 2
    assert 'cabinet' not in chat.questions[0]
    assert '"pick up the bowl": failure' in chat.questions[0]


def test_refused_label_is_asked_for_again_with_the_reason() -> None:
    chat = Script(['{"memory": "I picked up a zebra."}', *GOOD])
    labeller = Labeller(MemoryBudget(), chat)
    assert labeller.label(EPISODE)[-1].source == 'llm'
    assert 'Your last answer was refused: invented (zebra)' in chat.questions[1]
    assert labeller.counts['rejected_invented'] == 1


@pytest.mark.parametrize('bad', [
    'I picked up a bowl.', '{"memory": 5}', '[]', '{"memory": "I picked up a zebra."}', '',
    PolicyError('endpoint down')])
def test_rules_write_the_label_after_three_bad_answers(bad: str | Exception) -> None:
    labeller = Labeller(MemoryBudget(), Script([bad] * 6))
    records = labeller.label(EPISODE)
    assert [record.source for record in records] == ['kept', 'kept', 'rules', 'rules']
    assert records[-1].next_memory == 'I placed a bowl in the cabinet.'
    assert sum(count for name, count in labeller.counts.items() if 'rejected' in name) == 6


def test_second_run_asks_nothing(tmp_path: Path) -> None:
    cache = LabelCache(tmp_path / 'cache.jsonl')
    first = Labeller(MemoryBudget(), Script(GOOD), 'model', cache).label(EPISODE)
    cache.close()
    chat = Script([])
    again = Labeller(MemoryBudget(), chat, 'model', LabelCache(tmp_path / 'cache.jsonl'))
    assert again.label(EPISODE) == first
    assert (chat.questions, again.counts['cached']) == ([], 2)


def test_another_model_does_not_use_the_answers(tmp_path: Path) -> None:
    cache = LabelCache(tmp_path / 'cache.jsonl')
    Labeller(MemoryBudget(), Script(GOOD), 'one', cache).label(EPISODE)
    chat = Script(GOOD)
    Labeller(MemoryBudget(), chat, 'other', cache).label(EPISODE)
    assert len(chat.questions) == 2


def test_interrupted_run_resumes_where_it_stopped(tmp_path: Path) -> None:
    cache = LabelCache(tmp_path / 'cache.jsonl')
    with pytest.raises(KeyboardInterrupt):
        Labeller(MemoryBudget(), Script([GOOD[0], KeyboardInterrupt()]), 'm', cache).label(EPISODE)
    cache.close()
    with open(tmp_path / 'cache.jsonl', 'ab') as file:
        file.write(b'{"crc32":"torn')
    chat = Script(GOOD[1:])
    Labeller(MemoryBudget(), chat, 'm', LabelCache(tmp_path / 'cache.jsonl')).label(EPISODE)
    assert len(chat.questions) == 1


def test_answer_of_broken_text_is_cached_too(tmp_path: Path) -> None:
    cache = LabelCache(tmp_path / 'cache.jsonl')
    cache.put('question', 'half a pair: \ud800')
    cache.close()
    assert LabelCache(tmp_path / 'cache.jsonl').get('question') == 'half a pair: \ud800'


def test_file_in_file_out_with_a_report(tmp_path: Path) -> None:
    source = write_input(
        tmp_path / 'in.jsonl', EPISODE, AnnotatedEpisode('e2', 'Rest.', ()))
    report = label_file(source, tmp_path / 'out.jsonl', Labeller(MemoryBudget()), progress=False)
    lines = [json.loads(line) for line in (tmp_path / 'out.jsonl').read_text().splitlines()]
    assert [line['subtask'] for line in lines] == [
        'pick up the bowl', 'pick up the bowl', 'place the bowl in the cabinet', 'done', 'done']
    assert lines[2]['next_memory'] == 'I picked up a bowl.'
    saved = json.loads((tmp_path / 'out.jsonl.report.json').read_text())
    assert saved['records'] == report.records == 5
    assert saved['counts'] == {'kept': 3, 'rules': 2}
    assert report.compression == pytest.approx(65 / 31)
    assert 'naive memory would be 2.1 times as long' in str(report)


def test_same_episode_twice_is_refused(tmp_path: Path) -> None:
    source = write_input(tmp_path / 'in.jsonl', EPISODE, EPISODE)
    with pytest.raises(ConfigError, match="Got twice: \\['e1'\\]"):
        label_file(source, tmp_path / 'out.jsonl', Labeller(MemoryBudget()), progress=False)


@pytest.mark.parametrize(('line', 'message'), [
    ('{', 'not an annotated episode'),
    ('[]', 'not an annotated episode'),
    ('{"episode": "a", "goal": "g"}', "key 'subtasks' is missing"),
    ('{"episode": "a", "goal": "", "subtasks": []}', 'goal is empty'),
    ('{"episode": "a", "goal": "g", "subtasks": [{"text": "s", "outcome": "maybe"}]}', 'maybe'),
    ('{"episode": "a", "goal": "g", "subtasks": [{"text": "s", "start": 2, "end": 1}]}',
     'must not run back'),
    ('{"episode": "a", "goal": "g", "subtasks": [{"text": 7}]}', 'not an annotated episode')])
def test_bad_line_is_refused_by_name(line: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f'in.jsonl, line 3: .*{message}'):
        parse_episode(line, 'in.jsonl, line 3')


def test_episodes_survive_a_round_trip(tmp_path: Path) -> None:
    assert read_episodes(write_input(tmp_path / 'in.jsonl', EPISODE)) == [EPISODE]
