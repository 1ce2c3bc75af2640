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

"""Batches for the high level: whole episodes in, subtask and memory as text to write."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch

from mem_vla_ros.core.types import Decision, FloatArray
from mem_vla_ros.models.batch import TrainingBatch
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.text_tokenizer import encode, pad_ids
from mem_vla_ros.policies.high_level_settings import HighLevelSettings
from mem_vla_ros.policies.memory_mode import next_memory, Situation, told_subtask
from mem_vla_ros.policies.memvla_high_level_text import high_level_question, trained_answers
from mem_vla_ros.training.clips import make_clips
from mem_vla_ros.training.episode import Episode
from mem_vla_ros.training.train_config import TrainConfig

# How long ago the last decision may have been, in strides.
_SHORTEST, _LONGEST = 0.3, 1.5
# And where the memory is stale: what has happened since must be told from the video.
_STALEST = 8.0


class Misheard(NamedTuple):
    """
    What is told as the last decision instead of it.

    :param memory: None is that which was kept.
    """

    subtask: str
    memory: str | None = None


class _Lesson(NamedTuple):
    """
    What is asked and shall be answered at one sample.

    :param index: Of the sample.
    :param weight: How much it counts.
    """

    index: int
    question: str
    answer: str
    weight: float


def high_level_batch(
    episodes: Sequence[Episode], checkpoint: Checkpoint, config: TrainConfig,
    rng: np.random.Generator,
) -> TrainingBatch:
    """Return a batch in which the chosen frames of every episode are decisions."""
    tokenizer, stride_s = checkpoint.tokenizer, checkpoint.model.config.stride_s
    samples, tensors = make_clips(episodes, checkpoint, config, rng)
    seen = seen_strides(samples, tensors['steps'][:, 0].tolist(), stride_s)
    lessons = list(_lessons(samples, seen, stride_s, config, rng))
    questions = [encode(tokenizer, lesson.question) for lesson in lessons]
    answers = [[*encode(tokenizer, lesson.answer), tokenizer.eos_token_id] for lesson in lessons]
    ids, valid = pad_ids([q + a for q, a in zip(questions, answers, strict=True)])
    target = torch.zeros_like(valid)
    for row, (question, answer) in enumerate(zip(questions, answers, strict=True)):
        target[row, len(question):len(question) + len(answer)] = True
    taken = [lesson.index for lesson in lessons]
    of_samples = {name: tensors[name][taken] for name in ('steps', 'states', 'state_valid')}
    return TrainingBatch(
        **{**tensors, **of_samples}, text_ids=ids, text_valid=valid, text_target=target,
        text_weight=torch.tensor([lesson.weight for lesson in lessons]))


def _lessons(
    samples: Sequence[tuple[Episode, int]], seen: FloatArray, stride_s: float,
    config: TrainConfig, rng: np.random.Generator,
) -> Iterator[_Lesson]:
    """Yield what is learned at the samples; of those that only copy, a share, but the first."""
    for index, stalest in enumerate(np.minimum(seen, _STALEST)):
        episode, step = samples[index]
        share = config.stale_memory_of.get(episode.task, config.stale_memory)
        stale = stalest > _LONGEST and rng.random() < share
        since_s = stride_s * (
            rng.uniform(_LONGEST, stalest) if stale else rng.uniform(_SHORTEST, _LONGEST))
        misheard = _misheard(
            episode, step, config.misheard_subtask_of.get(episode.task, 0.0), rng)
        changed = changes(
            episode, step, last_decision(episode, step, since_s), config.memory_mode)
        copies = not (changed or stale or misheard)
        if copies and index > 0 and rng.random() >= config.copy_share:
            continue
        before = last_decision(episode, step, since_s, stale)
        yield _Lesson(
            index, *decision_texts(episode, step, before, config.memory_mode, stale, misheard),
            config.change_weight if changed else 1.0)


def seen_strides(
    samples: Sequence[tuple[Episode, int]], rows: Sequence[int], stride_s: float,
) -> FloatArray:
    """
    Return how much of the past of each sample its clip shows, in strides.

    A clip from the middle of an episode does not show what was before it, so no memory may be
    older. One from the beginning shows all that there was.

    :param rows: Which clip each sample is of; samples of one are in the order of time.
    """
    first: dict[int, int] = {}
    for (_, step), row in zip(samples, rows, strict=True):
        first.setdefault(row, step)
    return np.array([
        np.inf if episode.times[first[row]] - episode.times[0] <= stride_s else
        (episode.times[step] - episode.times[first[row]]) / stride_s
        for (episode, step), row in zip(samples, rows, strict=True)])


def last_decision(episode: Episode, step: int, since_s: float, stale: bool = False) -> int:
    """
    Return the step of the decision that was heard last; -1: before the first.

    :param since_s: How long ago it was [s]; where the episode says which decision was heard
        last, it is that one, unless it shall be stale.
    """
    if episode.told is None or stale:
        moment = episode.times[step] - since_s
        return int(np.searchsorted(episode.times, moment, side='right')) - 1
    return step - 1


def changes(episode: Episode, step: int, before: int, memory_mode: str = 'language') -> bool:
    """
    Return whether the decision that was heard last is no longer the right one at a step.

    :param memory_mode: Only in ``language`` is the memory part of the decision.
    """
    if before < 0 or episode.subtasks[step] != episode.driven_by[before]:
        return True
    kept = episode.memories if episode.kept is None else episode.kept
    return memory_mode == 'language' and episode.memories[step] != kept[before]


def _misheard(
    episode: Episode, step: int, share: float, rng: np.random.Generator,
) -> Misheard | None:
    """
    Return a wrong decision in a share of the cases.

    Half of them are the next decision, too early: a policy that takes a hand for full when it has
    closed on nothing must see later that it was wrong. Others are any subtask of the episode.
    """
    if not share or rng.random() >= share:
        return None
    if rng.random() < 0.5:
        return next((Misheard(episode.subtasks[later], episode.memories[later])
                     for later in range(step, len(episode))
                     if episode.subtasks[later] != episode.subtasks[step]), None)
    subtasks = list(dict.fromkeys(episode.driven_by))
    return Misheard(subtasks[rng.integers(len(subtasks))])


def decision_texts(
    episode: Episode, step: int, before: int, memory_mode: str = 'language',
    stale: bool = False, misheard: Misheard | None = None,
) -> tuple[str, str]:
    """
    Return what the policy is asked and shall answer at a step.

    :param before: Step of the decision that was heard last.
    :param memory_mode: Only ``language`` is written by the policy; others it is shown.
    :param stale: Nobody knows what has been done since the memory was kept: the last subtask is
        left out, as after a restart. It also tells such memories from those to be relied on.
    :param misheard: Is told as the last decision instead of it, unless that is left out.
    """
    subtask, memory = '', _memory_at(episode, before, memory_mode)
    if before >= 0 and not stale:
        subtask = misheard.subtask if misheard else episode.driven_by[before]
        if misheard and misheard.memory is not None and memory_mode == 'language':
            memory = misheard.memory
    after = episode.memories[step] if memory_mode == 'language' else memory
    return (
        high_level_question(episode.goal, memory, told_subtask(subtask, memory_mode)),
        trained_answers().write(episode.subtasks[step], after, memory))


def _memory_at(episode: Episode, step: int, memory_mode: str) -> str:
    """Return the memory that stood after the decision at a step; -1 is before the first."""
    if memory_mode == 'none' or step < 0:
        return ''
    if memory_mode == 'language':
        return (episode.memories if episode.kept is None else episode.kept)[step]
    memory, settings = '', HighLevelSettings(memory_mode)
    for index, (done, following) in enumerate(pairwise(episode.driven_by[:step + 1]), 1):
        failed = episode.failed is not None and bool(episode.failed[index])
        situation = Situation(memory, episode.goal, done, subtask_ended=failed)
        memory = next_memory(Decision(following, memory), situation, settings)
    return memory
