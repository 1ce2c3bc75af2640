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
One episode of learned policies in the simulated world, in one process.

The same history, the same policies and the same chunks as in the ROS graph, but time stands still
while a policy thinks. Policies see cameras and joint states, nothing else.
"""

from dataclasses import dataclass, field

from mem_vla_ros.core.errors import PolicyError
from mem_vla_ros.core.types import Observation
from mem_vla_ros.execution.history import History
from mem_vla_ros.policies.interface import HighLevelPolicy, LowLevelPolicy
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.world import CAMERAS, World


@dataclass(frozen=True)
class RolloutSettings:
    """
    How an episode is played.

    :param execution_rows: Rows of a chunk that are executed before the next one.
    :param decide_every_s: Time between decisions of the high level [s].
    """

    execution_rows: int = 5
    decide_every_s: float = 1.0


@dataclass
class Played:
    """What happened: the score, and the texts with the times at which they changed."""

    score: Score | None = None
    time_s: float = 0.0
    subtasks: list[tuple[float, str]] = field(default_factory=list)
    memories: list[tuple[float, str]] = field(default_factory=list)
    refused: int = 0


def play_episode(
    world: World, seed: int, low: LowLevelPolicy, high: HighLevelPolicy | None = None,
    settings: RolloutSettings | None = None,
) -> Played:
    """
    Play one episode until its score is done.

    :param high: None leaves the subtask empty: the low level then acts from goal and memory.
    """
    settings = settings or RolloutSettings()
    world.reset(seed)
    low.reset()
    if high is not None:
        high.reset()
    played = Played()
    low_history = _history(world, low)
    high_history = _history(world, high) if high is not None else None
    subtask = memory = ''
    decided_at = -float('inf')
    while not world.score().done:
        observation = _observe(world, low_history, high_history)
        if high is not None and world.time - decided_at >= settings.decide_every_s - 1e-6:
            decided_at = world.time
            seen = high_history.observe(world.time) if high_history else observation
            try:
                decision = high.decide(seen, memory, world.goal, subtask)
            except PolicyError:
                played.refused += 1
            else:
                _note(played, world.time, decision.subtask, decision.memory)
                subtask, memory = decision.subtask, decision.memory
        chunk = low.predict(observation, subtask, world.goal, None)
        for row in chunk.positions[1:1 + settings.execution_rows]:
            world.step(row, low.dt)
            _see(world, low_history, high_history)
    played.score, played.time_s = world.score(), world.time
    return played


def _history(world: World, policy: LowLevelPolicy | HighLevelPolicy) -> History:
    size = (policy.image_size, policy.image_size) if policy.image_size else None
    return History(
        CAMERAS, world.joint_names, policy.frames, policy.stride, image_size=size)


def _see(world: World, *histories: History | None) -> None:
    images = world.render()
    for history in histories:
        if history is None:
            continue
        for camera, image in images.items():
            history.add_frame(camera, world.time, image, world.time)
        history.add_joints(world.time, world.joint_names, world.joint_positions, world.time)


def _observe(world: World, low: History, high: History | None) -> Observation:
    if world.time == 0.0:
        _see(world, low, high)
    observation = low.observe(world.time)
    assert observation is not None, 'the world always gives cameras and joints'
    return observation


def _note(played: Played, time: float, subtask: str, memory: str) -> None:
    for record, text in ((played.subtasks, subtask), (played.memories, memory)):
        if not record or record[-1][1] != text:
            record.append((round(time, 2), text))
