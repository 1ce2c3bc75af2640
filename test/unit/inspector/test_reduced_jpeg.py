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

import cv2
import numpy as np
import pytest

from mem_vla_ros.inspector.reduced_jpeg import reduced_jpeg


@pytest.mark.parametrize(('shape', 'expected'), [
    ((480, 640, 3), (96, 128, 3)), ((640, 480, 3), (128, 96, 3)), ((20, 30, 3), (20, 30, 3)),
    ((1, 4000, 3), (1, 128, 3))])
def test_longest_side_is_reduced_and_small_images_stay(shape, expected):
    jpeg = reduced_jpeg(np.zeros(shape, np.uint8), 128)
    assert cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).shape == expected


def test_colours_keep_their_order():
    red = np.zeros((64, 64, 3), np.uint8)
    red[..., 0] = 255
    decoded = cv2.imdecode(np.frombuffer(reduced_jpeg(red, 32), np.uint8), cv2.IMREAD_COLOR)
    assert decoded[16, 16, 2] > 240
    assert decoded[16, 16, 0] < 15
