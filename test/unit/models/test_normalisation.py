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

"""Tests of state and action normalisation."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest
import torch

from mem_vla_ros.models.errors import CheckpointError, ShapeError
from mem_vla_ros.models.normalisation import Normalisation, Scaling


def test_bounds_map_to_plus_and_minus_one():
    scaling = Scaling((-2.0, 0.0), (2.0, 1.0))
    values = torch.tensor([[-2.0, 0.0], [2.0, 1.0], [0.0, 0.5]])
    assert scaling.normalise(values).tolist() == [[-1, -1], [1, 1], [0, 0]]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-10, 10), min_size=3, max_size=3))
def test_values_survive_the_round_trip_through_padding(values):
    scaling = Scaling((-3.0, -1.0, 0.0), (3.0, 2.0, 0.08))
    values = torch.tensor([values]).double()
    padded = scaling.normalise(values, width=8)
    assert padded.shape == (1, 8)
    assert (padded[:, 3:] == 0).all()
    torch.testing.assert_close(scaling.denormalise(padded), values, atol=1e-5, rtol=1e-5)


def test_quantiles_ignore_outliers():
    values = torch.linspace(-1, 1, 1001)[:, None].repeat(1, 2)
    values[0] = 1e6
    scaling = Scaling.from_quantiles(values)
    assert -1 < scaling.low[0] < -0.97
    assert 0.97 < scaling.high[0] < 1.0


def test_constant_dimension_gets_a_range_of_its_own():
    scaling = Scaling.from_quantiles(torch.full((10, 1), 3.0))
    assert scaling.normalise(torch.full((1, 1), 3.0)).abs().max() < 1e-6


def test_saved_statistics_come_back(tmp_path):
    before = Normalisation(Scaling((-1.0,), (1.5,)), Scaling((0.0, -1.0), (1.0, 1.0)), 'quantiles')
    before.save(tmp_path / 'n.json')
    assert Normalisation.load(tmp_path / 'n.json') == before


@pytest.mark.parametrize(('low', 'high'), [(1.0, 1.0), (1.0, 0.0), (0.0, float('nan'))])
def test_impossible_range_is_refused_with_its_dimension(low, high):
    with pytest.raises(ShapeError, match='Dimension 1'):
        Scaling((0.0, low), (1.0, high))


def test_wrong_width_is_refused():
    with pytest.raises(ShapeError, match='Expected 1'):
        Scaling((0.0,), (1.0,)).normalise(torch.zeros(2, 3))


def test_missing_statistics_are_refused_with_the_file(tmp_path):
    (tmp_path / 'n.json').write_text(json.dumps({'state': {'low': [0], 'high': [1]}}))
    with pytest.raises(CheckpointError, match='n.json.*action'):
        Normalisation.load(tmp_path / 'n.json')


def test_relative_dimensions_count_from_the_newest_state():
    scaling = Normalisation(
        Scaling((-3.0, 0.0), (3.0, 1.0)), Scaling((-0.5, 0.0), (0.5, 1.0)), relative=(0,))
    rows, now = torch.tensor([[2.25, 1.0], [2.5, 0.0]]), torch.tensor([2.0, 0.7])
    chunk = scaling.normalise_chunk(rows, now, width=3)
    torch.testing.assert_close(chunk, torch.tensor([[0.5, 1.0, 0.0], [1.0, -1.0, 0.0]]))
    torch.testing.assert_close(scaling.denormalise_chunk(chunk, now), rows.double())


def test_rows_of_a_chunk_have_a_spread_of_their_own():
    scaling = Normalisation(
        Scaling((-1.0, 0.0), (1.0, 1.0)), Scaling((-1.0, 0.0), (1.0, 1.0)), relative=(0,),
        row_spread=(0.1, 0.5, 1.0))
    rows, now = torch.tensor([[0.1, 1.0], [0.5, 0.5]]), torch.tensor([0.0, 0.0])
    chunk = scaling.normalise_chunk(rows, now)
    torch.testing.assert_close(chunk, torch.tensor([[1.0, 1.0], [1.0, 0.0]]))
    torch.testing.assert_close(scaling.denormalise_chunk(chunk, now), rows.double())
