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

"""Images brought to one size without changing their proportions."""

import cv2
import numpy as np

from mem_vla_ros.core.types import ImageArray


def resize_with_padding(image: ImageArray, size: tuple[int, int]) -> ImageArray:
    """
    Return the image scaled to fit into ``size``, centred on black.

    An image that has the size already is returned itself, not a copy.

    :param image: RGB, shape (H, W, 3).
    :param size: Height and width of the result.
    """
    height, width = size
    if image.shape[:2] == (height, width):
        return image
    scale = min(height / image.shape[0], width / image.shape[1])
    inner_height = max(1, round(image.shape[0] * scale))
    inner_width = max(1, round(image.shape[1] * scale))
    method = cv2.INTER_AREA if scale < 1.0 else cv2.INTER_LINEAR
    inner = cv2.resize(image, (inner_width, inner_height), interpolation=method)
    result = np.zeros((height, width, 3), dtype=np.uint8)
    top = (height - inner_height) // 2
    left = (width - inner_width) // 2
    result[top:top + inner_height, left:left + inner_width] = inner
    return result


def resize_all(images: ImageArray, size: tuple[int, int]) -> ImageArray:
    """Return several images of one shape, (N, H, W, 3), scaled to fit into ``size``."""
    if images.shape[1:3] == size:
        return images
    return np.stack([resize_with_padding(image, size) for image in images])
