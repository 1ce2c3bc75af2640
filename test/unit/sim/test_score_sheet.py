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

"""Score sheets for real robots."""

import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.sim.score_sheet import (
    enter_score,
    load_rubric,
    read_sheet,
    rubric_names,
    summarise,
)
from mem_vla_ros.sim.tasks.registry import TASKS


def test_all_seventeen_tasks_have_a_rubric():
    assert len(rubric_names()) == 17
    assert set(TASKS) < set(rubric_names())
    for name in rubric_names():
        rubric = load_rubric(name)
        assert rubric.name == name
        assert rubric.max_points >= 1 and rubric.description


def test_summary_is_mean_and_standard_error(tmp_path):
    sheet, rubric = tmp_path / 'scores.csv', load_rubric('chopstick')
    for earned in ([], ['picked up'], ['picked up', 'in the bin'], ['picked up', 'in the bin']):
        enter_score(sheet, rubric, 'video memory', earned)
    enter_score(sheet, rubric, 'no memory', [], note='dropped')
    first, second = summarise(read_sheet(sheet))
    assert (first.policy, first.episodes) == ('video memory', 4)
    assert first.score == pytest.approx(0.625)
    assert first.score_error == pytest.approx(0.2394, abs=1e-4)
    assert first.success == pytest.approx(0.5)
    assert second.episodes == 1 and second.score == 0.0


def test_items_that_an_episode_did_not_have_do_not_count(tmp_path):
    rubric = load_rubric('recipe_setup')
    earned = [item for item in rubric.points if item != 'item 7']
    enter_score(tmp_path / 's.csv', rubric, 'p', earned, left_out=('item 7',))
    assert summarise(read_sheet(tmp_path / 's.csv'))[0].success == 1.0


def test_unknown_items_rubrics_and_sheets_are_refused(tmp_path):
    with pytest.raises(ConfigError, match='find_object'):
        load_rubric('no_such_task')
    with pytest.raises(ConfigError, match='flown'):
        enter_score(tmp_path / 's.csv', load_rubric('chopstick'), 'p', ['flown'])
    (tmp_path / 'other.csv').write_text('a,b\n1,2\n')
    with pytest.raises(ConfigError, match='no score sheet'):
        read_sheet(tmp_path / 'other.csv')
