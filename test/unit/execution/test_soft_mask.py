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

"""Tests of the weights of real-time chunking."""

import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.execution.soft_mask import soft_mask


def test_exponential_weights_equal_the_published_ones():
    expected = [1, 1, 0.571, 0.287, 0.114, 0.026, 0, 0, 0, 0]
    np.testing.assert_allclose(soft_mask(10, 2, 4), expected, atol=5e-4)


@pytest.mark.parametrize(('kind', 'expected'), [
    ('zeros', [1, 1, 0, 0, 0, 0]), ('ones', [1, 1, 1, 1, 0, 0]),
    ('linear', [1, 1, 2 / 3, 1 / 3, 0, 0])])
def test_other_weights_between_prefix_and_end(kind, expected):
    np.testing.assert_allclose(soft_mask(6, 2, 2, kind), expected)


@pytest.mark.parametrize('kind', ['zeros', 'linear', 'exp'])
@pytest.mark.parametrize('delay', range(7))
def test_weights_never_rise(kind, delay):
    weights = soft_mask(12, delay, 5, kind)
    assert np.all(np.diff(weights) <= 0)
    assert np.all(weights[:delay] == 1.0)
    assert np.all(weights[7:] == 0.0)


@pytest.mark.parametrize('delay', [-1, 7])
def test_delay_beyond_the_running_chunk_is_refused(delay):
    with pytest.raises(ConfigError, match='delay'):
        soft_mask(10, delay, 4)


def test_unknown_kind_is_refused():
    with pytest.raises(ConfigError, match='cubic'):
        soft_mask(10, 2, 4, 'cubic')
