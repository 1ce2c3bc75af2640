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

"""Tests of the settings of a run, and of changing them on the command line."""

import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.training.train_config import changed, train_preset


@pytest.mark.parametrize(('text', 'rate'), [('2e-3', 0.002), ('0.002', 0.002), ('1', 1.0)])
def test_a_rate_may_be_written_in_any_way_that_is_a_number(text, rate):
    assert changed(train_preset('low'), [f'muon_rate={text}']).muon_rate == rate


@pytest.mark.parametrize('text', ['fast', '[1, 2]', ''])
def test_what_is_no_number_is_refused_by_name(text):
    with pytest.raises(ConfigError, match=r'muon_rate must be a number\. Got'):
        changed(train_preset('low'), [f'muon_rate={text}'])


def test_one_field_of_the_model_can_be_changed():
    config = changed(train_preset('low'), ['model_changes.memory=none', 'steps=7'])
    assert config.model_changes == {'memory': 'none'}
    assert config.steps == 7


def test_a_text_without_a_value_and_an_unknown_name_are_refused():
    with pytest.raises(ConfigError, match='name=value'):
        changed(train_preset('low'), ['steps'])
    with pytest.raises(ConfigError, match=r"Did you mean \['steps'\]"):
        changed(train_preset('low'), ['stepps=3'])
