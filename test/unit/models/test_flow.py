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

"""Tests of flow matching and of training-time real-time chunking in the sampler."""

import pytest
import torch

from mem_vla_ros.models.flow import integrate, noisy_chunk, sample_tau, target, to_velocity


@pytest.mark.parametrize('steps', [1, 2, 5, 10])
def test_sampler_recovers_the_data_with_the_oracle_velocity(steps):
    actions, noise = torch.randn(2, 6, 3), torch.randn(2, 6, 3)
    chunk = integrate(lambda x, tau: (x - actions) / tau[..., None], noise, steps)
    torch.testing.assert_close(chunk, actions, atol=1e-5, rtol=0)


@pytest.mark.parametrize('prediction', ['x', 'v'])
def test_perfect_prediction_of_either_kind_gives_the_true_velocity(prediction):
    actions, noise, tau = torch.randn(4, 6, 3), torch.randn(4, 6, 3), sample_tau(4)
    chunk = noisy_chunk(actions, noise, tau)
    velocity = to_velocity(prediction, target(prediction, actions, noise), chunk, tau)
    torch.testing.assert_close(velocity, noise - actions, atol=1e-3, rtol=1e-3)


def test_noise_is_at_one_and_data_at_zero():
    actions, noise = torch.randn(1, 2, 3), torch.randn(1, 2, 3)
    rows = noisy_chunk(actions, noise, torch.tensor([[1.0, 0.0]]))
    assert torch.equal(rows[:, 0], noise[:, 0])
    assert torch.equal(rows[:, 1], actions[:, 1])


def test_training_times_are_inside_the_interval_and_mostly_noisy():
    tau = sample_tau(4000)
    assert tau.min() > 0
    assert tau.max() <= 1
    assert abs(tau.mean() - 0.6) < 0.02  # Beta(1.5, 1) has mean 0.6


def test_committed_rows_come_back_exactly_and_are_shown_as_data():
    committed, noise, seen = torch.randn(2, 5, 3), torch.randn(2, 6, 3), []

    def velocity(chunk, tau):
        seen.append((chunk[:, :5].clone(), tau.clone()))
        return torch.randn_like(chunk)

    chunk = integrate(velocity, noise, 4, committed)
    assert torch.equal(chunk[:, :5], committed)
    assert all(torch.equal(rows, committed) for rows, _ in seen)
    assert all((tau[:, :5] == 0).all() and (tau[:, 5:] > 0).all() for _, tau in seen)


def test_free_rows_reach_the_oracle_beside_committed_ones():
    actions, noise = torch.randn(1, 6, 2), torch.randn(1, 6, 2)
    chunk = integrate(
        lambda x, tau: to_velocity('x', actions, x, tau), noise, 5, actions[:, :5])
    torch.testing.assert_close(chunk, actions, atol=1e-5, rtol=0)


def test_no_committed_rows_is_plain_sampling():
    noise = torch.randn(2, 6, 3)
    empty = integrate(lambda x, tau: x * tau[..., None], noise, 5, noise[:, :0])
    assert torch.equal(empty, integrate(lambda x, tau: x * tau[..., None], noise, 5))
