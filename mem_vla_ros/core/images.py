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

"""
Camera images as RGB arrays, checked before they are touched.

Works on the plain fields of ``sensor_msgs/Image`` and ``CompressedImage``, so that nodes, bag
readers and tests share it.
"""

import cv2
import numpy as np

from mem_vla_ros.core.errors import MemVlaError
from mem_vla_ros.core.types import ImageArray

MAX_IMAGE_SIDE = 4096

# Encoding -> (channels, conversion to RGB or None).
_ENCODINGS: dict[str, tuple[int, int | None]] = {
    'rgb8': (3, None),
    'bgr8': (3, cv2.COLOR_BGR2RGB),
    'rgba8': (4, cv2.COLOR_RGBA2RGB),
    'bgra8': (4, cv2.COLOR_BGRA2RGB),
    'mono8': (1, cv2.COLOR_GRAY2RGB),
}
ENCODINGS = tuple(_ENCODINGS)


class ImageRejected(MemVlaError):  # noqa: N818
    """An image message is not what its own fields say, or not of an accepted kind."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def check_raw_image(encoding: str, height: int, width: int, step: int, size: int) -> None:
    """
    Refuse a raw image whose fields contradict each other.

    :param size: Number of bytes in its data.
    :raises ImageRejected: with ``kind`` ``wrong_encoding``, ``wrong_size`` or ``truncated_image``.
    """
    # CHECK: encoding is known
    if encoding not in _ENCODINGS:
        raise ImageRejected(
            'wrong_encoding',
            f'Image encoding {encoding[:40]!r} is not accepted. Accepted: {list(ENCODINGS)}.')
    # CHECK: size is sensible
    if not (1 <= height <= MAX_IMAGE_SIDE and 1 <= width <= MAX_IMAGE_SIDE):
        raise ImageRejected(
            'wrong_size',
            f'Image size must be 1 to {MAX_IMAGE_SIDE} on each side. Got {width}x{height}.')
    # CHECK: a row is long enough
    row_bytes = width * _ENCODINGS[encoding][0]
    if step < row_bytes:
        raise ImageRejected(
            'truncated_image',
            f'Image step must be at least {row_bytes} bytes for {width} {encoding} pixels. '
            f'Got {step}.')
    # CHECK: data is complete
    if size != step * height:
        raise ImageRejected(
            'truncated_image',
            f'Image data must hold step * height = {step * height} bytes. Got {size}.')


def decode_raw_image(
    encoding: str, height: int, width: int, step: int, data: bytes | memoryview | ImageArray,
) -> ImageArray:
    """
    Return a raw image as RGB, shape (height, width, 3).

    :raises ImageRejected: as :func:`check_raw_image` does.
    """
    flat = np.frombuffer(data, dtype=np.uint8)
    check_raw_image(encoding, height, width, step, flat.size)
    channels, conversion = _ENCODINGS[encoding]
    pixels = flat.reshape(height, step)[:, :width * channels].reshape(height, width, channels)
    if conversion is None:
        return np.ascontiguousarray(pixels)
    return np.asarray(cv2.cvtColor(np.ascontiguousarray(pixels), conversion), dtype=np.uint8)


def decode_compressed_image(data: bytes | memoryview | ImageArray) -> ImageArray:
    """
    Return a JPEG or PNG image as RGB.

    :raises ImageRejected: with ``kind`` ``truncated_image`` if it does not decode, or
        ``wrong_size`` if it is larger than accepted.
    """
    flat = np.frombuffer(data, dtype=np.uint8)
    try:
        pixels = cv2.imdecode(flat, cv2.IMREAD_COLOR) if flat.size else None
    except cv2.error:
        pixels = None
    if pixels is None:
        raise ImageRejected(
            'truncated_image',
            f'Compressed image does not decode. Got {flat.size} bytes; expected JPEG or PNG.')
    if max(pixels.shape[:2]) > MAX_IMAGE_SIDE:
        raise ImageRejected(
            'wrong_size',
            f'Image size must be 1 to {MAX_IMAGE_SIDE} on each side. '
            f'Got {pixels.shape[1]}x{pixels.shape[0]}.')
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB), dtype=np.uint8)
