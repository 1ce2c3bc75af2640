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

"""How well a bag recorded its cameras and joint states: rates, gaps, stamps that go back."""

from dataclasses import asdict, dataclass

import numpy as np

from mem_vla_ros.evaluation.bag_reader import BagReader
from mem_vla_ros.evaluation.bag_topics import CAMERA, JOINTS

_LONG_GAP_S = 0.5


@dataclass(frozen=True)
class StreamQuality:
    """
    One camera, or the joint states.

    :param rate_hz: By the median time between stamps.
    :param backward: Stamps that lie before the one before them.
    :param repeated: Stamps equal to the one before them.
    """

    messages: int
    rate_hz: float
    largest_gap_s: float
    backward: int
    repeated: int

    @staticmethod
    def of(stamps: list[float]) -> 'StreamQuality':
        """Return the quality of stamps in the order of the bag."""
        steps = np.diff(np.asarray(stamps, dtype=np.float64))
        forward = steps[steps > 0]
        period = float(np.median(forward)) if len(forward) else 0.0
        return StreamQuality(
            len(stamps), round(1.0 / period, 3) if period else 0.0,
            float(forward.max()) if len(forward) else 0.0,
            int(np.sum(steps < 0)), int(np.sum(steps == 0)))


@dataclass(frozen=True)
class InputQuality:
    """All streams of a bag, and what is worth telling about them."""

    streams: dict[str, StreamQuality]
    warnings: list[str]

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return plain values."""
        return {name: asdict(stream) for name, stream in self.streams.items()}


def input_quality(reader: BagReader) -> tuple[InputQuality, dict[str, list[float]]]:
    """Return the quality of the inputs, and the stamps of each camera for further use."""
    stamps = {
        part: reader.stamps(part) for part in reader.topics.topics
        if part == JOINTS or part.startswith(CAMERA)}
    streams = {
        part.removeprefix(CAMERA): StreamQuality.of(values) for part, values in stamps.items()}
    warnings = [
        warning for name, stream in streams.items() for warning in _warnings(name, stream)]
    rates = {name: stream.rate_hz for name, stream in streams.items() if name != JOINTS}
    if rates and max(rates.values()) > 2 * min(rates.values()):
        warnings.append(f'cameras have different rates [Hz]: {rates}')
    cameras = {part.removeprefix(CAMERA): values for part, values in stamps.items()
               if part.startswith(CAMERA)}
    return InputQuality(streams, warnings), cameras


def _warnings(name: str, stream: StreamQuality) -> list[str]:
    found = []
    if stream.backward:
        found.append(f'{name}: stamps go back {stream.backward} times; such messages are dropped')
    if stream.repeated:
        found.append(f'{name}: {stream.repeated} stamps come twice; such messages are dropped')
    if stream.largest_gap_s > _LONG_GAP_S:
        found.append(f'{name}: silent for up to {stream.largest_gap_s:.2f} s')
    return found
