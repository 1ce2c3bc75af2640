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

"""Demonstrations on disk: content, resuming, and refusals."""

from dataclasses import replace
from itertools import groupby
import json

import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.sim.collect import collect, CollectSettings
from mem_vla_ros.sim.dataset import Dataset
from mem_vla_ros.sim.experts.expert import Expert
from mem_vla_ros.sim.recording import record_episode, subtask_segments
from mem_vla_ros.sim.rollout import DECISION_GAP_S, LATE_SHARE, run_expert, Step
from mem_vla_ros.sim.world import World

SETTINGS = CollectSettings('chopstick', image_size=16)


def test_episodes_hold_aligned_arrays_and_texts(tmp_path):
    dataset = collect(SETTINGS, 2, tmp_path / 'data', progress=False)
    recording = dataset[1]
    steps = recording.entry['steps']
    assert recording.entry['success']
    assert recording.images['base'].shape == (steps, 16, 16, 3)
    assert recording.joints.shape == recording.actions.shape == (steps, 7)
    subtasks = recording.entry['subtasks']
    assert subtasks[0]['start'] == 0 and subtasks[-1]['end'] == steps
    for first, second in zip(subtasks, subtasks[1:], strict=False):
        assert first['end'] == second['start']
    assert recording.entry['memories'][0]['start'] == 0


def test_a_recording_that_is_cut_short_is_the_beginning_of_the_whole_one_and_no_failure(tmp_path):
    whole = collect(SETTINGS, 1, tmp_path / 'whole', progress=False)[0]
    short = collect(
        replace(SETTINGS, longest_s=2.0), 1, tmp_path / 'short', progress=False)[0]
    steps = short.entry['steps']
    assert steps == 20 < whole.entry['steps']
    np.testing.assert_array_equal(short.actions, whole.actions[:steps])
    assert short.entry['success'] and short.entry['points'] == 0


def test_episodes_with_a_learner_are_not_cut_short(tmp_path):
    with pytest.raises(ConfigError, match='recorded whole'):
        collect(replace(SETTINGS, longest_s=2.0, learner='some'), 1, tmp_path, progress=False)


def test_misses_are_marked_as_failed_subtasks(tmp_path):
    dataset = collect(SETTINGS, 4, tmp_path / 'data', progress=False)
    failed = [segment['text'] for entry in dataset.entries for segment in entry['subtasks']
              if not segment['succeeded']]
    assert 'pick up the chopstick at the high level' in failed


def test_where_grasps_slip_they_are_tried_again_until_one_holds(tmp_path):
    settings = CollectSettings('scoop_coffee', image_size=16)
    firm = collect(settings, 1, tmp_path / 'firm', progress=False)
    slippery = collect(replace(settings, slip=0.6), 1, tmp_path / 'slippery', progress=False)

    def tries(dataset):
        return sum(segment['text'].startswith('pick up') and not segment['succeeded']
                   for segment in dataset.entries[0]['subtasks'])

    assert tries(firm) == 0 < tries(slippery)
    assert slippery.entries[0]['success']
    assert slippery.entries[0]['steps'] > firm.entries[0]['steps']


def test_resumed_run_equals_an_uninterrupted_one(tmp_path):
    whole = collect(SETTINGS, 3, tmp_path / 'whole', progress=False)
    collect(SETTINGS, 2, tmp_path / 'parts', progress=False)
    index = tmp_path / 'parts' / 'episodes.jsonl'
    with index.open('a', encoding='utf-8') as stream:
        stream.write('{"task": "chopst')
    parts = collect(SETTINGS, 3, tmp_path / 'parts', progress=False)
    assert parts.entries == whole.entries
    assert Dataset(tmp_path / 'parts').entries == whole.entries
    np.testing.assert_array_equal(parts[2].images['rear'], whole[2].images['rear'])
    np.testing.assert_array_equal(parts[2].actions, whole[2].actions)


def test_raw_images_are_memory_mapped_and_equal(tmp_path):
    raw = collect(CollectSettings('chopstick', 16, compress=False), 1, tmp_path / 'raw',
                  progress=False)
    packed = collect(SETTINGS, 1, tmp_path / 'packed', progress=False)
    assert isinstance(raw[0].images['base'], np.memmap)
    np.testing.assert_array_equal(raw[0].images['base'], packed[0].images['base'])


def test_parallel_run_writes_the_same_episodes(tmp_path):
    collect(SETTINGS, 3, tmp_path / 'two', workers=2, progress=False)
    two = {entry['seed']: entry for entry in Dataset(tmp_path / 'two').entries}
    one = collect(SETTINGS, 3, tmp_path / 'one', progress=False)
    assert two == {entry['seed']: entry for entry in one.entries}


def test_folder_with_other_data_is_refused(tmp_path):
    collect(SETTINGS, 0, tmp_path / 'data', progress=False)
    with pytest.raises(ConfigError, match='other data'):
        collect(CollectSettings('chopstick', image_size=32), 1, tmp_path / 'data',
                progress=False)
    with pytest.raises(ConfigError, match='other data'):
        collect(replace(SETTINGS, learner='another'), 1, tmp_path / 'data', progress=False)
    with pytest.raises(ConfigError, match='other data'):
        collect(replace(SETTINGS, longest_s=5.0), 1, tmp_path / 'data', progress=False)
    with pytest.raises(ConfigError, match='other data'):
        collect(replace(SETTINGS, slip=0.5), 1, tmp_path / 'data', progress=False)
    with pytest.raises(ConfigError, match='no data set'):
        Dataset(tmp_path / 'missing')
    (tmp_path / 'data' / 'dataset.json').write_text(json.dumps({'format': 'else'}))
    with pytest.raises(ConfigError, match='else'):
        Dataset(tmp_path / 'data')


def test_segments_split_at_a_new_attempt_of_the_same_subtask():
    def step(succeeded):
        return Step(0.0, np.zeros(7), np.zeros(7), 'pick up the cup', '', '', '', succeeded)

    segments = subtask_segments([step(None), step(None), step(False), step(None)], success=True)
    assert segments == [
        {'text': 'pick up the cup', 'start': 0, 'end': 2, 'succeeded': False},
        {'text': 'pick up the cup', 'start': 2, 'end': 4, 'succeeded': True}]


def test_a_decision_is_heard_late_while_the_right_one_is_written_at_every_step():
    world = World('chopstick', image_size=16)
    entry = record_episode(world, Expert('chopstick'), 1, noise=0.0).entry
    world.close()
    right = {item['text']: item['start'] for item in entry['subtasks']}
    heard = {item['text']: item['start'] for item in entry['told']}
    late = [heard[text] - start for text, start in right.items()]
    assert list(heard) == list(right)
    assert min(late) >= 0 and 2 <= max(late) <= 14
    assert [item['text'] for item in entry['kept']] == [
        item['text'] for item in entry['memories']]


@pytest.mark.parametrize(('late', 'longest'), [(LATE_SHARE, (15, 55)), (0.0, (1, 14))])
def test_most_decisions_are_heard_within_a_second_or_so_and_a_share_much_later(late, longest):
    world, expert, waits = World('scoop_coffee'), Expert('scoop_coffee'), []
    for seed in range(4):
        world.reset(seed)
        steps = run_expert(world, expert, seed=seed, gap_s=DECISION_GAP_S, late=late)
        for unheard, group in groupby(steps, lambda step: step.told != step.subtask):
            if unheard:
                waits.append(len(list(group)))
    world.close()
    assert np.median(waits) <= 12 and longest[0] <= max(waits) <= longest[1]


def test_mistakes_on_purpose_are_marked_step_by_step():
    world = World('scoop_coffee')
    recording = record_episode(world, Expert('scoop_coffee', mistakes=0.4), 0, noise=0.0)
    failed = [item for item in recording.entry['subtasks'] if not item['succeeded']]
    marked = set(recording.entry['mistakes'])
    assert failed and all(marked & set(range(item['start'], item['end'])) for item in failed)
