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

"""Image decoding: equal for every encoding, and strict about what it takes."""

import cv2
import numpy as np
import pytest

from mem_vla_ros.core.images import (
    check_raw_image,
    decode_compressed_image,
    decode_raw_image,
    ENCODINGS,
    ImageRejected,
)


@pytest.fixture
def rgb():
    return np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)


def encoded(rgb, encoding):
    alpha = np.full_like(rgb[..., :1], 9)
    return {
        'rgb8': rgb, 'bgr8': rgb[..., ::-1],
        'rgba8': np.concatenate([rgb, alpha], -1),
        'bgra8': np.concatenate([rgb[..., ::-1], alpha], -1),
        'mono8': rgb[..., :1],
    }[encoding]


@pytest.mark.parametrize('encoding', ENCODINGS)
def test_every_encoding_gives_the_same_rgb(rgb, encoding):
    pixels = encoded(rgb, encoding)
    expected = np.repeat(rgb[..., :1], 3, -1) if encoding == 'mono8' else rgb
    result = decode_raw_image(encoding, 5, 7, 7 * pixels.shape[-1], pixels.tobytes())
    np.testing.assert_array_equal(result, expected)


def test_padded_rows_are_unpadded(rgb):
    padded = np.pad(rgb.reshape(5, 21), ((0, 0), (0, 3)))
    np.testing.assert_array_equal(decode_raw_image('rgb8', 5, 7, 24, padded.tobytes()), rgb)


@pytest.mark.parametrize('fields, kind', [
    (('16UC1', 5, 7, 21, 105), 'wrong_encoding'),
    (('', 5, 7, 21, 105), 'wrong_encoding'),
    (('rgb8', 0, 0, 0, 0), 'wrong_size'),
    (('rgb8', 8192, 8192, 3 * 8192, 3 * 8192 * 8192), 'wrong_size'),
    (('rgb8', 5, 7, 20, 100), 'truncated_image'),
    (('rgb8', 5, 7, 21, 104), 'truncated_image'),
    (('rgb8', 5, 7, 21, 106), 'truncated_image'),
    (('mono8', 1, 1, 1, 0), 'truncated_image'),
])
def test_contradictory_fields_are_refused_by_kind(fields, kind):
    with pytest.raises(ImageRejected) as refused:
        check_raw_image(*fields)
    assert refused.value.kind == kind


def test_a_single_pixel_is_an_image():
    assert decode_raw_image('mono8', 1, 1, 1, b'\x07').tolist() == [[[7, 7, 7]]]


def test_png_is_lossless(rgb):
    data = cv2.imencode('.png', rgb[..., ::-1])[1].tobytes()
    np.testing.assert_array_equal(decode_compressed_image(data), rgb)


@pytest.mark.parametrize('cut', [0, 1, 20, -1])
def test_a_truncated_jpeg_is_refused_or_complete(rgb, cut):
    data = cv2.imencode('.jpg', rgb)[1].tobytes()
    try:
        assert decode_compressed_image(data[:cut]).shape == rgb.shape
    except ImageRejected as refused:
        assert refused.kind == 'truncated_image'


def test_noise_is_not_an_image():
    with pytest.raises(ImageRejected, match='does not decode'):
        decode_compressed_image(b'not an image')
