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

"""Waypoint: where the arm goes next, how fast, and how long it stays."""

from dataclasses import dataclass

from mem_vla_ros.core.types import FloatArray

OPEN = 0.03
CLOSED = 0.0


@dataclass(frozen=True)
class Waypoint:
    """
    One leg of a plan.

    :param joints: Positions of the six arm joints; None stays where the arm is.
    :param gripper: Opening on the way [m].
    :param dwell: How long to stay there [s].
    :param speed: Largest joint speed on the way [rad/s].
    """

    joints: FloatArray | None
    gripper: float
    dwell: float = 0.1
    speed: float = 1.6
