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

"""Tests of loop, player and gate together, as the nodes wire them, with time fed by hand."""

import numpy as np
import pytest

from mem_vla_ros.core.limits import JointLimits
from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.execution.chunk_player import ChunkPlayer
from mem_vla_ros.execution.chunking import MODES, RealTimeChunking
from mem_vla_ros.execution.history import History
from mem_vla_ros.execution.motion import Motion
from mem_vla_ros.execution.safety_gate import SafetyGate
from mem_vla_ros.execution.watchdog import Watchdogs
from mem_vla_ros.policies.constant import ConstantPolicy
from mem_vla_ros.policies.guarded_policy import GuardedPolicy
from mem_vla_ros.policies.low_level_loop import LowLevelLoop
from mem_vla_ros.policies.scripted_faults import FaultyPolicy

JOINTS = ('shoulder', 'elbow')
LIMITS = JointLimits(
    JOINTS, lower=np.full(2, -2.0), upper=np.full(2, 2.0), velocity=np.full(2, 2.0))
DT = 0.02


class WavePolicy(ConstantPolicy):
    """Follows a wave from wherever the joints are."""

    def predict(self, observation, subtask, goal, committed):
        times = observation.stamp + self.dt * np.arange(self.horizon)
        wave = 0.5 * np.sin(times)[:, None] * np.ones(2)
        away = (observation.position - wave[0]) * np.exp(-np.arange(self.horizon) / 6)[:, None]
        return ActionChunk(JOINTS, observation.stamp, self.dt, wave + away)


class FicklePolicy(ConstantPolicy):
    """Turns the other way with every answer, from where it is or from what is committed."""

    side = 1.0

    def predict(self, observation, subtask, goal, committed):
        self.side = -self.side
        fixed = observation.position[None]
        if committed is not None:
            fixed = committed.positions[:committed.delay]
        turn = 0.2 * self.side * -np.expm1(-np.arange(1, self.horizon) / 3)[:, None]
        rows = np.concatenate([fixed, fixed[-1] + turn])[:self.horizon]
        return ActionChunk(JOINTS, observation.stamp, self.dt, rows)


class Arm:
    """An arm that does what it is told, its policy thinking for a while each time."""

    def __init__(self, policy, mode='hard', thinking=8) -> None:
        self.loop = LowLevelLoop(
            GuardedPolicy(policy, JOINTS), History(('base',), JOINTS, 1, 0.5),
            RealTimeChunking(mode, 0.1, 16, execution_horizon=4))
        self.loop.set_subtask('wave')
        self.player = ChunkPlayer(LIMITS)
        self.gate = SafetyGate()
        self.watchdogs = Watchdogs({'chunk': (0.8, 1.5)})
        self.thinking = thinking
        self.position = np.zeros(2)
        self.faults: list[str] = []
        self.seams: list[float] = []
        self.pending = None

    def run(self, seconds: float) -> np.ndarray:
        """Return the positions that were sent."""
        image = np.zeros((16, 16, 3), np.uint8)
        sent = []
        for tick in range(round(seconds / DT)):
            now = tick * DT
            self.loop.add_frame('base', now, image, now)
            self.loop.add_joints(now, JOINTS, self.position, now)
            self.player.seed(self.position, now)
            self._think(tick, now)
            flags = self.watchdogs.flags(now) | self.player.flags()
            command = self.player.command(now, self.gate.update(now, flags))
            self.position = command.positions[0]
            sent.append(self.position)
        return np.array(sent)

    def _think(self, tick: int, now: float) -> None:
        if self.pending is None:
            step = self.loop.step(now, lambda: now + self.thinking * DT)
            self.pending = None if step is None else (tick + self.thinking, step.chunk)
        if self.pending is not None and tick >= self.pending[0]:
            chunk, self.pending = self.pending[1], None
            if chunk is not None:
                self._accept(chunk, now)

    def _accept(self, chunk: ActionChunk, now: float) -> None:
        self.seams.append(np.abs(Motion.of(chunk).at(now) - self.player.reference(now)).max())
        fault = self.player.accept(chunk, now)
        if fault is None:
            self.watchdogs.feed('chunk', now)
        else:
            self.faults.append(fault.name)


@pytest.mark.parametrize('mode', MODES)
def test_arm_follows_the_policy_smoothly(mode):
    arm = Arm(WavePolicy(JOINTS), mode)
    sent = arm.run(6.0)
    times = np.arange(len(sent)) * DT
    assert arm.faults == []
    assert arm.gate.may_move
    np.testing.assert_allclose(sent[100:, 0], 0.5 * np.sin(times[100:]), atol=0.08)
    assert np.abs(np.diff(sent[50:], n=2, axis=0)).max() / DT ** 2 < 10.0


def test_real_time_chunking_leaves_no_seam():
    arms = [Arm(FicklePolicy(JOINTS), mode) for mode in ('hard', 'rtc_trained')]
    for arm in arms:
        arm.run(6.0)
        assert arm.faults == []
    assert max(arms[0].seams[1:]) > 0.05
    assert max(arms[1].seams[1:]) < 1e-3


@pytest.mark.parametrize(('fault', 'reason'), [('jump', 'rejected_chunks'), ('nan', 'chunk_age')])
def test_policy_that_goes_bad_brings_the_arm_to_rest(fault, reason):
    arm = Arm(FaultyPolicy(WavePolicy(JOINTS), fault, at=range(5, 1000), jump=1.0))
    sent = arm.run(7.0)
    assert not arm.gate.may_move
    assert reason in arm.gate.reasons
    assert np.ptp(sent[-150:], axis=0).max() == 0.0
    assert np.abs(np.diff(sent, axis=0)).max() <= 2.0 * DT + 1e-9


def test_arm_recovers_alone_from_a_policy_that_failed_for_a_while():
    arm = Arm(FaultyPolicy(WavePolicy(JOINTS), 'raise', at=range(5, 9)))
    sent = arm.run(8.0)
    speeds = np.abs(np.diff(sent[:, 0]))
    assert arm.faults == []
    assert arm.gate.may_move
    assert speeds[-50:].max() > 0.0
