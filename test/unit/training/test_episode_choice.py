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


from collections import Counter

import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.training.episode_choice import EpisodeChoice


class Names(list):
    """Episodes of which only the task matters."""

    def task_of(self, index):
        return self[index]


def test_tasks_are_drawn_by_weight_not_by_their_number_of_episodes():
    choice = EpisodeChoice(Names(['mugs'] * 90 + ['scoop'] * 10), {'scoop': 3.0})
    drawn = Counter(choice.draw(4000, np.random.default_rng(0)))
    assert drawn['scoop'] / 4000 == pytest.approx(0.75, abs=0.03)


def test_a_weight_for_a_task_without_episodes_is_refused():
    with pytest.raises(ConfigError, match="'fold'.*'mugs'"):
        EpisodeChoice(Names(['mugs']), {'fold': 2.0})
