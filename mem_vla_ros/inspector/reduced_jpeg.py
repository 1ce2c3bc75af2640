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

"""Camera images made small enough to keep for hours."""

import cv2

from mem_vla_ros.core.types import ImageArray

QUALITY = 75


def reduced_jpeg(image: ImageArray, side: int) -> bytes:
    """
    Return an RGB image as a small JPEG.

    :param side: Longest side of the result [px]; a smaller image keeps its size.
    """
    height, width = image.shape[:2]
    scale = side / max(height, width)
    if scale < 1.0:
        size = max(1, round(width * scale)), max(1, round(height * scale))
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    _, data = cv2.imencode(
        '.jpg', cv2.cvtColor(image, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return data.tobytes()
