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

"""Tests of inference-time real-time chunking."""

import pytest
import torch

from mem_vla_ros.models.errors import ModelConfigError
from mem_vla_ros.models.flow import integrate
from mem_vla_ros.models.rtc_guidance import Guidance, guidance_weight, prefix_weights


def test_weights_follow_the_published_table():
    weights = prefix_weights(10, delay=2, end=6)
    expected = torch.tensor([1, 1, 0.5706, 0.2870, 0.1145, 0.0258, 0, 0, 0, 0])
    torch.testing.assert_close(weights, expected, atol=1e-4, rtol=0)


@pytest.mark.parametrize(('schedule', 'middle'), [
    ('zeros', [0, 0]), ('ones', [1, 1]), ('linear', [2 / 3, 1 / 3])])
def test_other_schedules_shape_the_middle_only(schedule, middle):
    expected = torch.tensor([1, *middle, 0, 0], dtype=torch.float32)
    torch.testing.assert_close(prefix_weights(5, 1, 3, schedule), expected)


def test_correction_is_bounded_by_beta_and_symmetric():
    tau = torch.tensor([1.0, 0.8, 0.6, 0.4, 0.2])
    expected = torch.tensor([5.0, 4.25, 2.1667, 2.1667, 4.25])
    torch.testing.assert_close(guidance_weight(tau, 5.0), expected, atol=1e-4, rtol=0)


def linear_field(chunk, tau):
    """Return the velocity of a toy network with a dense Jacobian over the rows."""
    return 0.3 * chunk + 0.2 * chunk.mean(dim=1, keepdim=True) + tau[..., None]


@pytest.mark.parametrize('jacobian', ['vjp', 'identity'])
def test_guidance_pulls_the_first_rows_towards_the_running_chunk(jacobian):
    noise, previous = torch.randn(2, 8, 3), torch.randn(2, 8, 3)
    plain = integrate(linear_field, noise, 5)
    guide = Guidance(previous, delay=2, execution_horizon=3, jacobian=jacobian)
    guided = integrate(guide.guide(linear_field, 8), noise, 5)
    before, after = ((x - previous)[:, :2].abs().mean() for x in (plain, guided))
    assert after < 0.3 * before


def test_identity_jacobian_leaves_the_free_rows_of_separate_rows_alone():
    noise, previous = torch.randn(1, 8, 3), torch.randn(1, 5, 3)

    def separate(chunk, tau):
        return chunk * tau[..., None]

    guide = Guidance(previous, delay=1, execution_horizon=2, jacobian='identity')
    plain, guided = (integrate(f, noise, 5) for f in (separate, guide.guide(separate, 8)))
    assert torch.equal(plain[:, 5:], guided[:, 5:])
    assert (plain[:, :5] - guided[:, :5]).abs().min() > 0


def test_vjp_is_the_transposed_jacobian_times_the_error():
    chunk, previous = torch.randn(1, 4, 2), torch.randn(1, 4, 2)
    tau = torch.tensor([[0.5]])
    guide = Guidance(previous, delay=4, execution_horizon=0)
    moved = guide.guide(linear_field, 4)(chunk, tau)
    clean = chunk - 0.5 * linear_field(chunk, tau)
    jacobian = torch.autograd.functional.jacobian(
        lambda x: x - 0.5 * linear_field(x, tau), chunk).reshape(8, 8)
    pull = ((previous - clean).reshape(8) @ jacobian).view(1, 4, 2)
    expected = linear_field(chunk, tau) - guidance_weight(tau[..., None], 5.0) * pull
    torch.testing.assert_close(moved, expected)


def test_no_rows_to_follow_is_plain_sampling():
    noise = torch.randn(2, 8, 3)
    guide = Guidance(torch.randn(2, 8, 3), delay=0, execution_horizon=8)
    torch.testing.assert_close(
        integrate(guide.guide(linear_field, 8), noise, 5), integrate(linear_field, noise, 5))


def test_unknown_words_are_refused():
    with pytest.raises(ModelConfigError, match='jacobian'):
        Guidance(torch.zeros(1, 1, 1), 0, 1, jacobian='full')
    with pytest.raises(ModelConfigError, match='schedule'):
        prefix_weights(4, 1, 2, 'cosine')
