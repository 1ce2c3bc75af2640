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

"""Tests of the streaming encoder against the joint computation."""

from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
import pytest
import torch

from mem_vla_ros.models.errors import ModelConfigError, ShapeError
from mem_vla_ros.models.history_mask import band_mask, stride_mask
from mem_vla_ros.models.streaming_encoder import StreamingEncoder
from mem_vla_ros.models.video_encoder import VideoEncoder


@pytest.fixture
def encoder(siglip) -> VideoEncoder:
    return VideoEncoder(siglip(9))


def run(stream: StreamingEncoder, images, times, valid) -> torch.Tensor:
    """Return all steps of one episode, (C, T, n, D); images are (C, T, 3, H, W)."""
    return torch.stack([
        stream.step(images[:, t], times[:, t], valid[:, t]) for t in range(images.shape[1])], 1)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_streaming_equals_the_joint_band_for_random_gaps_padding_and_cameras(encoder, data):
    cameras, steps = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 9))
    frames = data.draw(st.integers(1, 5))
    gaps = data.draw(st.lists(
        st.floats(0.02, 4), min_size=cameras * steps, max_size=cameras * steps))
    valid = torch.tensor(data.draw(st.lists(
        st.booleans(), min_size=cameras * steps, max_size=cameras * steps)))
    times = torch.tensor(gaps).double().view(cameras, steps).cumsum(1)
    valid = valid.view(cameras, steps)
    images = torch.randn(cameras, steps, 3, 16, 16)
    streamed = run(StreamingEncoder(encoder, cameras, frames), images, times, valid)
    with torch.no_grad():
        joint = encoder.episode(images[None], times[None], band_mask(valid, frames)[None])[0]
    torch.testing.assert_close(streamed, joint, atol=1e-5, rtol=0)


def test_streaming_with_a_stride_equals_the_joint_computation(encoder):
    images, valid = torch.randn(2, 12, 3, 16, 16), torch.ones(2, 12, dtype=torch.bool)
    valid[1, 3:5] = False
    times = (torch.arange(12) * 0.25 + torch.rand(12) * 0.05).double().expand(2, 12)
    stream = StreamingEncoder(encoder, 2, frames=3, stride_s=1.0, slots=12)
    with torch.no_grad():
        joint = encoder.episode(
            images[None], times[None], stride_mask(times, valid, 3, 1.0)[None])[0]
    torch.testing.assert_close(run(stream, images, times, valid), joint, atol=1e-5, rtol=0)


def test_first_frame_is_bit_equal_to_the_stock_vit(siglip):
    vit = siglip()
    image = torch.randn(3, 3, 16, 16)
    stream = StreamingEncoder(VideoEncoder(vit), 3, frames=4)
    with torch.no_grad():
        expected = vit(image).last_hidden_state
    assert torch.equal(stream.step(image, torch.zeros(3).double()), expected)


def test_reset_clears_the_memory(encoder):
    images, times = torch.randn(2, 4, 3, 16, 16), torch.arange(4).double().expand(2, 4)
    valid = torch.ones(2, 4, dtype=torch.bool)
    stream = StreamingEncoder(encoder, 2, frames=3)
    first = run(stream, images, times, valid)
    assert stream.cached_bytes > 0
    stream.reset()
    assert stream.cached_bytes == 0
    assert torch.equal(run(stream, images, times, valid), first)


def test_one_stream_is_reset_without_the_others(encoder):
    images, times = torch.randn(2, 4, 3, 16, 16), torch.arange(4).double().expand(2, 4)
    valid = torch.ones(2, 4, dtype=torch.bool)
    whole = run(StreamingEncoder(encoder, 2, frames=4), images, times, valid)
    stream = StreamingEncoder(encoder, 2, frames=4)
    run(stream, images[:, :2], times[:, :2], valid[:, :2])
    stream.reset(torch.tensor([1]))
    after = run(stream, images[:, 2:], times[:, 2:], valid[:, 2:])
    fresh = run(StreamingEncoder(encoder, 2, frames=4), images[:, 2:], times[:, 2:], valid[:, 2:])
    torch.testing.assert_close(after[0], whole[0, 2:], atol=1e-5, rtol=0)
    torch.testing.assert_close(after[1], fresh[1], atol=1e-5, rtol=0)


def test_frames_older_than_the_age_limit_are_forgotten(encoder):
    images, valid = torch.randn(1, 2, 3, 16, 16), torch.ones(1, 2, dtype=torch.bool)
    times = torch.tensor([[0.0, 10.0]]).double()
    forgetful = StreamingEncoder(encoder, 1, frames=3, max_age_s=5.0)
    tokens = run(forgetful, images, times, valid)[:, 1]
    alone = StreamingEncoder(encoder, 1, frames=3).step(images[:, 1], times[:, 1])
    torch.testing.assert_close(tokens, alone, atol=1e-5, rtol=0)


def test_memory_does_not_grow_with_the_stream(encoder):
    stream = StreamingEncoder(encoder, 1, frames=2)
    sizes = []
    for t in range(6):
        stream.step(torch.randn(1, 3, 16, 16), torch.tensor([float(t)]).double())
        sizes.append(stream.cached_bytes)
    # 2 space-time layers x keys and values x 2 slots x 16 patches x 32 channels x 4 bytes
    assert set(sizes) == {2 * 2 * 2 * 16 * 32 * 4}


def test_streaming_in_window_mode_is_refused(siglip):
    with pytest.raises(ModelConfigError, match='relative'):
        StreamingEncoder(VideoEncoder(siglip(), 'window'), 1, 2)


def test_fewer_slots_than_frames_are_refused(encoder):
    with pytest.raises(ModelConfigError, match='slots'):
        StreamingEncoder(encoder, 1, frames=4, slots=3)


def test_wrong_number_of_cameras_is_refused(encoder):
    with pytest.raises(ShapeError, match='needs 2'):
        StreamingEncoder(encoder, 2, 2).step(torch.randn(1, 3, 16, 16), torch.zeros(1).double())
