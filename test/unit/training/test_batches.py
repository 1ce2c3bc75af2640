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

"""Batches hold what the policies will see: the right frames, states, texts and targets."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.models.text_tokenizer import decode
from mem_vla_ros.training.frame_choice import choose_frames
from mem_vla_ros.training.high_level_batch import (
    changes,
    decision_texts,
    high_level_batch,
    last_decision,
    Misheard,
    seen_strides,
)
from mem_vla_ros.training.low_level_batch import low_level_batch
from mem_vla_ros.training.train_config import train_preset


def test_references_begin_where_the_reference_stands_and_stay_at_the_end(episodes):
    episode = episodes[0]
    np.testing.assert_array_equal(episode.references(0, 3), np.concatenate(
        [episode.joints[:1], episode.actions[:2]]))
    np.testing.assert_array_equal(episode.references(10, 3), episode.actions[9:12])
    np.testing.assert_array_equal(
        episode.references(len(episode) - 1, 4), episode.actions[[-2, -1, -1, -1]])


def test_who_is_told_a_subtask_stays_where_it_ends(episodes, make_checkpoint):
    change = len(episodes[0]) // 2
    assert episodes[0].end_of_subtask(change - 3) == change
    assert episodes[0].end_of_subtask(change) == len(episodes[0])
    np.testing.assert_array_equal(
        episodes[0].references(change - 3, 6, change),
        episodes[0].actions[[change - 4, change - 3, change - 2] + [change - 1] * 3])
    checkpoint, rows = make_checkpoint(), {}
    for share in (0.0, 1.0):
        config = train_preset('low', subtask_dropout=share)
        batch = low_level_batch(episodes[:1], checkpoint, config, np.random.default_rng(0))
        rows[share] = batch.actions
    stays = (rows[0.0] != rows[1.0]).any(dim=(1, 2))
    assert stays.any() and not stays.all()
    assert torch.equal(rows[0.0][stays][:, -1], rows[0.0][stays][:, -2])


def test_frames_are_about_a_stride_apart_and_reach_the_start(episodes):
    for seed in range(50):
        steps = choose_frames(episodes[0], 1.0, 1, 100, np.random.default_rng(seed))
        gaps = np.diff(steps)
        assert gaps.min() >= 4 and gaps.max() <= 12
        assert steps[0] <= 6 and steps[-1] >= len(episodes[0]) - 12


def test_beginning_and_end_of_a_long_episode_are_seen_as_often_as_its_middle(episodes):
    seen = np.zeros(len(episodes[0]))
    for seed in range(3000):
        part = choose_frames(episodes[0], 0.1, 0, 10, np.random.default_rng(seed))
        assert len(part) == 10
        seen[part] += 1
    middle = seen[15:30].mean()
    assert seen[0] > 0.4 * middle and seen[-1] > 0.4 * middle


def test_every_frame_is_a_target_and_reads_its_own_past(episodes, make_checkpoint):
    config = train_preset('low', history_dropout=0.0, subtask_dropout=0.0)
    batch = low_level_batch(episodes, make_checkpoint(), config, np.random.default_rng(0))
    assert len(batch.steps) == int(batch.valid[:, 0].sum())
    assert not (batch.history & ~batch.valid[:, :1, None]).any(dim=-1)[
        batch.valid[:, :1]].any()
    read = batch.history[batch.steps[:, 0], 0, batch.steps[:, 1]].sum(dim=1)
    assert torch.equal(read, batch.state_valid.sum(dim=1))
    assert batch.actions.shape == (len(batch.steps), 16, 7)


def test_a_sample_that_forgets_reads_itself_alone(episodes, make_checkpoint):
    config = train_preset('low', history_dropout=1.0)
    batch = low_level_batch(episodes, make_checkpoint(), config, np.random.default_rng(0))
    assert torch.equal(batch.state_valid.sum(dim=1), torch.ones(len(batch.steps)))


def test_subtask_dropout_leaves_the_goal(episodes, make_checkpoint):
    checkpoint = make_checkpoint()
    config = train_preset('low', subtask_dropout=1.0)
    batch = low_level_batch(episodes, checkpoint, config, np.random.default_rng(0))
    texts = {decode(checkpoint.tokenizer, ids[valid].tolist())
             for ids, valid in zip(batch.text_ids, batch.text_valid, strict=True)}
    assert texts == {'Task: find it'}


def test_a_decision_is_asked_with_what_was_known_before(episodes):
    change = len(episodes[0]) // 2
    question, answer = decision_texts(episodes[0], change, change - 5)
    assert 'Memory: \n' in question and 'Last subtask: wait\n' in question
    assert 'open the drawer' in answer and 'I saw it.' in answer
    question, answer = decision_texts(episodes[0], change + 10, change + 5)
    assert 'Memory: I saw it.\n' in question
    assert 'I saw it.' not in answer


def test_a_decision_that_was_heard_late_is_asked_with_what_was_heard(episodes):
    length, change = len(episodes[0]), len(episodes[0]) // 2
    late = replace(
        episodes[0], told=['wait'] * (change + 5) + ['open the drawer'] * (length - change - 5),
        kept=[''] * (change + 5) + ['I saw it.'] * (length - change - 5))
    for step, known in ((change + 5, ''), (change + 6, 'I saw it.')):
        question, answer = decision_texts(late, step, last_decision(late, step, 5.0))
        assert f'Memory: {known}\n' in question
        assert 'open the drawer' in answer and ('I saw it.' in answer) == (not known)
    assert late.end_of_subtask(change) == change + 5


def test_no_memory_is_older_than_what_its_clip_shows(episodes):
    samples = [(episodes[0], step) for step in (5, 15, 25)] + [
        (episodes[0], step) for step in (20, 30, 40)]
    seen = seen_strides(samples, [0, 0, 0, 1, 1, 1], stride_s=1.0)
    np.testing.assert_allclose(seen, [np.inf] * 3 + [0.0, 1.0, 2.0])


def test_a_stale_memory_comes_without_the_last_subtask(episodes):
    last = len(episodes[0]) - 1
    assert last_decision(episodes[0], last, 3.0, stale=True) == last - 30
    question, answer = decision_texts(episodes[0], last, last - 30, stale=True)
    assert 'Last subtask: \n' in question and 'Memory: \n' in question
    assert 'I saw it.' in answer


def test_stale_memory_makes_more_samples_tell_what_has_happened_since(episodes, make_checkpoint):
    checkpoint = make_checkpoint()

    def told(**stale: object) -> int:
        batch = high_level_batch(
            [replace(episodes[0], task='find')], checkpoint, train_preset('high', **stale),
            np.random.default_rng(0))
        return sum('I saw it.' in decode(checkpoint.tokenizer, ids[target].tolist())
                   for ids, target in zip(batch.text_ids, batch.text_target, strict=True))

    assert told(stale_memory=1.0) > told()
    assert told(stale_memory_of={'find': 1.0}) == told(stale_memory=1.0)
    assert told(stale_memory=1.0, stale_memory_of={'find': 0.0}) == told()
    assert told(stale_memory_of={'other': 1.0}) == told()


def test_a_misheard_subtask_stands_where_the_last_one_would(episodes):
    last = len(episodes[0]) - 1
    question, answer = decision_texts(episodes[0], last, last - 10, misheard=Misheard('wave'))
    assert 'Last subtask: wave\n' in question
    assert answer == decision_texts(episodes[0], last, last - 10)[1]
    stale, _ = decision_texts(episodes[0], last, last - 10, stale=True, misheard=Misheard('wave'))
    assert 'Last subtask: \n' in stale


def test_who_remembers_too_much_is_told_what_is_true(episodes):
    question, answer = decision_texts(
        episodes[0], 0, 0, misheard=Misheard('wave', 'I did it all.'))
    assert 'Memory: I did it all.\n' in question
    assert 'I did it all.' not in answer
    naive, _ = decision_texts(
        episodes[0], 0, 0, 'naive', misheard=Misheard('wave', 'I did it all.'))
    assert 'I did it all.' not in naive


def test_subtasks_are_misheard_in_the_named_tasks_alone(episodes, make_checkpoint):
    checkpoint = make_checkpoint()

    def questions(task: str, **settings: object) -> list[str]:
        batch = high_level_batch(
            [replace(episodes[0], task=task)], checkpoint, train_preset('high', **settings),
            np.random.default_rng(0))
        return [decode(checkpoint.tokenizer, ids[~target].tolist())
                for ids, target in zip(batch.text_ids, batch.text_target, strict=True)]

    assert questions('sort', misheard_subtask_of={'other': 1.0}) == questions('sort')
    assert questions('sort', misheard_subtask_of={'sort': 1.0}) != questions('sort')


def test_what_is_next_is_misheard_most_often(episodes, make_checkpoint):
    first, second = dict.fromkeys(episodes[0].subtasks)
    checkpoint, heard = make_checkpoint(), Counter()
    config = train_preset('high', misheard_subtask_of={episodes[0].task: 1.0}, stale_memory=0.0)
    for seed in range(10):
        batch = high_level_batch(episodes[:1], checkpoint, config, np.random.default_rng(seed))
        for ids, target in zip(batch.text_ids, batch.text_target, strict=True):
            question, answer = (
                decode(checkpoint.tokenizer, ids[part].tolist()) for part in (~target, target))
            if first in answer:
                heard.update(name for name in (first, second)
                             if f'Last subtask: {name}\n' in question)
    assert heard[second] > 1.5 * heard[first] > 0


def test_a_decision_that_is_no_longer_right_counts_more(episodes, make_checkpoint):
    change = len(episodes[0]) // 2
    assert [changes(episodes[0], step, step - 1) for step in (0, 1, change, change + 1)] == [
        True, False, True, False]
    late = replace(episodes[0], told=['wait'] * len(episodes[0]))
    assert changes(late, change + 1, change)
    config = train_preset('high', change_weight=3.0)
    batch = high_level_batch([late], make_checkpoint(), config, np.random.default_rng(0))
    assert set(batch.text_weight.tolist()) == {1.0, 3.0}


def test_a_memory_that_others_write_is_no_decision(episodes):
    written = replace(
        episodes[0], subtasks=['wait'] * len(episodes[0]),
        memories=['', *['I waited.'] * (len(episodes[0]) - 1)])
    assert changes(written, 1, 0)
    assert not changes(written, 1, 0, 'naive')
    assert not changes(written, 1, 0, 'none')


def test_samples_that_only_copy_can_be_left_out(episodes, make_checkpoint):
    checkpoint, found = make_checkpoint(), {}
    for share in (1.0, 0.0):
        config = train_preset('high', copy_share=share, frame_jitter=0)
        batch = high_level_batch(episodes, checkpoint, config, np.random.default_rng(0))
        assert len(batch.steps) == len(batch.states) == len(batch.state_valid) == len(
            batch.text_ids) == len(batch.text_weight)
        found[share] = [
            ('I saw it.' in decode(checkpoint.tokenizer, ids[target].tolist()))
            for ids, target in zip(batch.text_ids, batch.text_target, strict=True)]
    assert len(found[0.0]) < len(found[1.0])
    assert sum(found[0.0]) == sum(found[1.0]) > 0


def test_a_batch_is_never_empty(episodes, make_checkpoint):
    calm = replace(episodes[0], subtasks=['wait'] * len(episodes[0]), memories=[''] * len(
        episodes[0]))
    config = train_preset('high', copy_share=0.0, frame_jitter=0)
    for seed in range(4):
        batch = high_level_batch([calm], make_checkpoint(), config, np.random.default_rng(seed))
        assert 1 <= len(batch.text_ids) <= 2


def test_only_the_answer_is_learned(episodes, make_checkpoint):
    checkpoint = make_checkpoint()
    batch = high_level_batch(
        episodes, checkpoint, train_preset('high'), np.random.default_rng(0))
    for ids, valid, target in zip(
            batch.text_ids, batch.text_valid, batch.text_target, strict=True):
        assert int(ids[target][-1]) == checkpoint.tokenizer.eos_token_id
        question = decode(checkpoint.tokenizer, ids[valid & ~target].tolist())
        assert question.endswith('Next:\n')


def test_of_a_long_episode_any_part_may_be_taken(episodes):
    parts = [choose_frames(episodes[0], 0.3, 0, 5, np.random.default_rng(seed))
             for seed in range(50)]
    assert all(len(part) == 5 for part in parts)
    assert min(part[0] for part in parts) < 3 and max(part[-1] for part in parts) > 40


def test_a_told_task_always_has_its_subtask(episodes, make_checkpoint):
    config = train_preset('low', subtask_dropout=1.0, told_tasks=('long',))
    lengths = {}
    for task in ('long', 'short'):
        batch = low_level_batch(
            [replace(episodes[0], task=task)], make_checkpoint(), config,
            np.random.default_rng(0))
        lengths[task] = int(batch.text_valid.sum())
    assert lengths['long'] > lengths['short']


def test_naive_memory_lists_the_subtasks_before_and_is_not_written(episodes):
    question, answer = decision_texts(episodes[0], 40, 35, 'naive')
    assert 'Memory: wait\n' in question
    assert 'I saw it.' not in question + answer


def test_naive_memory_lists_an_attempt_that_failed_and_the_next_one(episodes):
    failed = np.zeros(len(episodes[0]), dtype=bool)
    failed[5] = True
    question, _ = decision_texts(replace(episodes[0], failed=failed), 40, 35, 'naive')
    assert 'Memory: wait; wait\n' in question


def test_without_memory_the_policy_is_shown_and_writes_none(episodes):
    question, answer = decision_texts(episodes[0], 40, 35, 'none')
    assert 'Memory: \nLast subtask: \n' in question
    assert 'I saw it.' not in question + answer


def test_a_mistake_is_seen_but_not_learned(episodes, make_checkpoint):
    taught = np.ones(len(episodes[0]), dtype=bool)
    taught[20:25] = False
    episode = replace(episodes[0], taught=taught)
    config = train_preset('low', history_dropout=0.0)
    batch = low_level_batch([episode], make_checkpoint(), config, np.random.default_rng(0))
    assert not batch.action_valid.all()
    np.testing.assert_array_equal(episode.rows_taught(19, 4), [True, True, False, False])


def test_velocity_is_told_in_units_of_the_scaled_state(episodes, make_checkpoint):
    checkpoint = make_checkpoint()
    episode, config = episodes[0], train_preset('low', clip_frames=4)
    batch = low_level_batch([episode], checkpoint, config, np.random.default_rng(0))
    scaling = checkpoint.normalisation.state
    steps = [round(float(time) / (episode.times[1] - episode.times[0]))
             for time in batch.times[0, 0]]
    for velocity, step in zip(batch.velocity, steps, strict=True):
        before = scaling.normalise(torch.from_numpy(episode.joints[max(step - 1, 0)]).double())
        after = scaling.normalise(torch.from_numpy(episode.joints[step]).double())
        rate = (after - before) / (episode.times[1] - episode.times[0])
        torch.testing.assert_close(velocity[:len(rate)], rate, rtol=1e-4, atol=1e-4)


def test_weights_of_dimensions_and_rows_go_into_the_batch(episodes, make_checkpoint):
    config = train_preset('low', action_weights=(1, 1, 1, 1, 1, 1, 0.1), row_decay=0.5)
    batch = low_level_batch(
        [episodes[0]], make_checkpoint(), config, np.random.default_rng(0))
    assert batch.action_weight.shape == batch.actions.shape[1:]
    assert batch.action_weight[:3, 0].tolist() == [1.0, 0.5, 0.25]
    assert batch.action_weight[1, -1] == pytest.approx(0.05)


def test_too_few_weights_are_refused(episodes, make_checkpoint):
    config = train_preset('low', action_weights=(1, 0.1))
    with pytest.raises(ConfigError, match='7 values. Got 2'):
        low_level_batch([episodes[0]], make_checkpoint(), config, np.random.default_rng(0))
