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

"""Labels written by a language model, checked, and replaced by rules where they fail."""

from collections import Counter
from collections.abc import Sequence

from mem_vla_ros.core.errors import PolicyError
from mem_vla_ros.memory.memory_budget import MemoryBudget
from mem_vla_ros.policies.chat_model import ChatMessage, ChatModel
from mem_vla_ros.training.labels.annotated_episode import (
    AnnotatedEpisode,
    AnnotatedSubtask,
    LabelRecord,
)
from mem_vla_ros.training.labels.label_cache import LabelCache
from mem_vla_ros.training.labels.label_prompt import label_messages, read_label
from mem_vla_ros.training.labels.rule_based import RuleBasedLabeller
from mem_vla_ros.training.labels.validation import LabelContext, Rejection, validate_label

LLM, RULES, KEPT = 'llm', 'rules', 'kept'
DONE = 'done'


class Labeller:
    """
    Turns annotated episodes into training records.

    :param chat: The language model; None writes all labels by rules.
    :param model_name: Part of the cache key.
    :param tries: Questions to the model per label before the rules write it.
    """

    def __init__(
        self, budget: MemoryBudget, chat: ChatModel | None = None, model_name: str = '',
        cache: LabelCache | None = None, tries: int = 3, max_answer_tokens: int = 300,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._budget = budget
        self._chat = chat
        self._model_name = model_name
        self._cache = cache
        self._tries = tries
        self._max_answer_tokens = max_answer_tokens

    def label(self, episode: AnnotatedEpisode) -> list[LabelRecord]:
        """Return one record per subtask, and one for the end of the episode."""
        rules = RuleBasedLabeller(episode.goal, self._budget)
        subtasks = episode.subtasks
        records = []
        memory = next_memory = ''
        source = KEPT
        for index, subtask in enumerate((*subtasks, _end_of(subtasks))):
            if index:
                reference = rules.add(subtasks[index - 1])
                context = LabelContext(subtasks[:index], subtasks[index:], reference)
                next_memory, source = self._write(episode.goal, memory, context)
            records.append(LabelRecord(
                episode.episode, index, episode.goal, memory, subtask.text, next_memory,
                subtask.start, subtask.end, source))
            self.counts[source] += 1
            memory = next_memory
        return records

    def _write(self, goal: str, memory: str, context: LabelContext) -> tuple[str, str]:
        if not context.finished[-1].succeeded:
            return memory, KEPT
        if self._chat is None:
            return context.reference, RULES
        refusal = ''
        for _ in range(self._tries):
            try:
                label = read_label(self._ask(label_messages(
                    goal, memory, context.finished, refusal)))
                rejection = validate_label(label, context, self._budget)
            except PolicyError as error:
                rejection = Rejection('no_answer', str(error))
            if rejection is None:
                return self._budget.clean(label), LLM
            self.counts[f'rejected_{rejection.reason}'] += 1
            refusal = f'{rejection.reason} ({rejection.detail})'
        return context.reference, RULES

    def _ask(self, messages: Sequence[ChatMessage]) -> str:
        question = [self._model_name, [[message.role, message.text] for message in messages]]
        answer = self._cache.get(question) if self._cache else None
        if answer is not None:
            self.counts['cached'] += 1
            return answer
        assert self._chat is not None
        answer = self._chat.complete(messages, self._max_answer_tokens)
        self.counts['asked'] += 1
        if self._cache:
            self._cache.put(question, answer)
        return answer


def _end_of(subtasks: Sequence[AnnotatedSubtask]) -> AnnotatedSubtask:
    end = subtasks[-1].end if subtasks else 0.0
    return AnnotatedSubtask(DONE, start=end, end=end)
