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

"""Tests of resizing with padding."""

import numpy as np
import pytest

from mem_vla_ros.execution.resize import resize_with_padding


def white(height: int, width: int) -> np.ndarray:
    return np.full((height, width, 3), 255, dtype=np.uint8)


def test_image_of_the_right_size_is_not_touched():
    image = white(32, 48)
    assert resize_with_padding(image, (32, 48)) is image


@pytest.mark.parametrize(('shape', 'filled'), [
    ((480, 640), (48, 64)), ((640, 480), (64, 48)), ((32, 32), (64, 64)), ((16, 64), (16, 64)),
    ((2000, 16), (64, 1))])
def test_proportions_are_kept_and_the_rest_is_black(shape, filled):
    result = resize_with_padding(white(*shape), (64, 64))
    assert result.shape == (64, 64, 3)
    lit = result[..., 0] > 127
    assert (lit.any(axis=1).sum(), lit.any(axis=0).sum()) == filled


def test_padding_is_centred():
    lit = resize_with_padding(white(32, 64), (64, 64))[:, 0, 0] > 127
    assert np.flatnonzero(lit).tolist() == list(range(16, 48))


def test_shrinking_averages_pixels():
    image = np.zeros((64, 64, 3), np.uint8)
    image[:, ::2] = 200
    assert np.all(resize_with_padding(image, (32, 32)) == 100)
