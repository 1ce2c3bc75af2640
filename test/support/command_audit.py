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
"""What must be true of every command, whatever goes wrong."""

import numpy as np
from support.node_graph import ROBOT_FILE

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.ros.conversions import seconds_from_stamp

LIMITS = load_robot(ROBOT_FILE).limits
# Velocities are differences over one control period.
SPEED_SLACK = 1.05


def assert_safe(command):
    """Fail unless the command is finite, inside the limits, short, and ends at rest."""
    positions = np.array([point.positions for point in command.points])
    velocities = np.array([point.velocities for point in command.points])
    times = [seconds_from_stamp(point.time_from_start) for point in command.points]
    assert np.isfinite(positions).all()
    assert np.isfinite(velocities).all()
    assert (positions >= LIMITS.lower - 1e-9).all()
    assert (positions <= LIMITS.upper + 1e-9).all()
    assert (np.abs(velocities) <= LIMITS.velocity * SPEED_SLACK).all()
    assert times == sorted(times)
    assert times[0] == 0.0
    assert times[-1] <= 0.5
    assert not velocities[-1].any()


def assert_all_safe(commands):
    """Fail unless there are commands, every one is safe, and none jumps from the one before."""
    assert commands
    for command in commands:
        assert_safe(command)
    begins = np.array([command.points[0].positions for command in commands])
    stamps = np.array([seconds_from_stamp(command.header.stamp) for command in commands])
    ahead = np.diff(stamps)[:, None] >= 0.0
    reach = LIMITS.velocity * SPEED_SLACK * (np.abs(np.diff(stamps))[:, None] + 0.02)
    assert ((np.abs(np.diff(begins, axis=0)) <= reach) | ~ahead).all()
