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

"""Statistics of a LeRobot data set: per episode, and over all of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mem_vla_ros.core.types import FloatArray, ImageArray

_QUANTILES = {'q01': 0.01, 'q10': 0.1, 'q50': 0.5, 'q90': 0.9, 'q99': 0.99}
_IMAGE_SAMPLES = 20

Statistics = dict[str, Any]


def vector_statistics(values: FloatArray) -> Statistics:
    """Return the statistics of a vector over time, shape (T, D)."""
    quantiles = {
        name: np.quantile(values, share, axis=0).tolist() for name, share in _QUANTILES.items()}
    return {
        'min': values.min(axis=0).tolist(), 'max': values.max(axis=0).tolist(),
        'mean': values.mean(axis=0).tolist(), 'std': values.std(axis=0).tolist(),
        'count': [len(values)], **quantiles}


def image_statistics(images: ImageArray) -> Statistics:
    """Return the statistics of each colour in 0 to 1, from some of the frames."""
    some = images[::max(1, len(images) // _IMAGE_SAMPLES)].reshape(-1, 3) / 255.0
    found = vector_statistics(some)
    return {name: value if name == 'count' else np.reshape(value, (3, 1, 1)).tolist()
            for name, value in found.items()} | {'count': [len(images)]}


def merge_statistics(episodes: list[Mapping[str, Statistics]]) -> dict[str, Statistics]:
    """
    Return the statistics over all episodes.

    Quantiles are means of the episodes' quantiles, as LeRobot merges them.
    """
    return {feature: _merge([episode[feature] for episode in episodes])
            for feature in episodes[0]}


def _merge(parts: list[Statistics]) -> Statistics:
    counts = np.array([part['count'][0] for part in parts], dtype=np.float64)
    weights = counts / counts.sum()

    def stacked(name: str) -> FloatArray:
        return np.array([part[name] for part in parts], dtype=np.float64)

    def mean_of(values: FloatArray) -> FloatArray:
        return np.tensordot(weights, values, axes=1)

    mean = mean_of(stacked('mean'))
    variance = mean_of(stacked('std') ** 2 + (stacked('mean') - mean) ** 2)
    return {
        'min': stacked('min').min(axis=0).tolist(), 'max': stacked('max').max(axis=0).tolist(),
        'mean': mean.tolist(), 'std': np.sqrt(variance).tolist(), 'count': [int(counts.sum())],
        **{name: mean_of(stacked(name)).tolist() for name in _QUANTILES}}
