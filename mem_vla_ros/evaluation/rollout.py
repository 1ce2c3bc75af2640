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

The same history, the same high-level loop, the same policies and the same chunks as in the ROS
graph, but time stands still while a policy thinks. Policies see cameras and joint states, nothing
else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
import time
from typing import Any

from mem_vla_ros.core.types import Observation
from mem_vla_ros.execution.history import History
from mem_vla_ros.policies.high_level_loop import HighLevelLoop
from mem_vla_ros.policies.high_level_settings import HighLevelSettings
from mem_vla_ros.policies.interface import HighLevelPolicy, LowLevelPolicy
from mem_vla_ros.sim.world import CAMERAS, World

#: Told the world, the subtask and the memory before every step.
Watch = Callable[[World, str, str], None]

_REFUSED = ('failed', 'malformed', 'oversized')


@dataclass(frozen=True)
class RolloutSettings:
    """
    How an episode is played.

    :param execution_rows: Rows of a chunk that are executed before the next one.
    :param decide_every_s: Time between decisions of the high level [s].
    :param memory_mode: How the high level keeps its memory, see ``HighLevelSettings``.
    """

    execution_rows: int = 5
    decide_every_s: float = 1.0
    memory_mode: str = 'language'


def play_episode(
    world: World, seed: int, low: LowLevelPolicy, high: HighLevelPolicy | None = None,
    settings: RolloutSettings | None = None, watch: Watch | None = None,
) -> dict[str, Any]:
    """
    Play one episode until its score is done.

    :param high: None leaves the subtask empty: the low level then acts from goal and memory.
    :returns: The final score with seed and time, how many answers of the high level were refused,
        and the subtask and the memory at the end, as plain values.
    """
    settings = settings or RolloutSettings()
    world.reset(seed)
    low.reset()
    loop = _start_loop(high, world.goal, settings) if high is not None else None
    histories = [history_of(world, policy) for policy in (low, high) if policy is not None]
    subtask = memory = ''
    misses = 0
    feel(world, histories)
    while not world.score().done:
        # What is drawn in between no policy would look at.
        see(world, histories)
        if loop is not None:
            # A naive memory notes every attempt; what others keep does not depend on it.
            if settings.memory_mode == 'naive' and world.misses > misses:
                loop.subtask_ended()
            misses = world.misses
            if loop.due(world.time):
                loop.step(observe(world, histories[1]), world.time, time.monotonic)
            subtask, memory = loop.state.subtask, loop.state.memory
        chunk = low.predict(observe(world, histories[0]), subtask, world.goal, None)
        for row in chunk.positions[1:1 + settings.execution_rows]:
            if watch is not None:
                watch(world, subtask, memory)
            world.step(row, low.dt)
            feel(world, histories)
    score = world.score()
    return {
        'seed': seed, 'success': score.success, 'points': score.points,
        'max_points': score.max_points, 'reason': score.reason, 'details': dict(score.details),
        'time_s': round(world.time, 2), 'subtask': subtask, 'memory': memory,
        'refused': sum(loop.counts.get(status, 0) for status in _REFUSED) if loop else 0}


def _start_loop(high: HighLevelPolicy, goal: str, settings: RolloutSettings) -> HighLevelLoop:
    # A little less than the period: the sum of many small steps may fall short of it.
    loop = HighLevelLoop(high, 'memvla', HighLevelSettings(
        settings.memory_mode, settings.decide_every_s - 1e-6, retry_keeps_memory=False))
    loop.start(0.0, goal)
    return loop


def history_of(world: World, policy: LowLevelPolicy | HighLevelPolicy) -> History:
    """Return an empty history of what the policy wants."""
    size = (policy.image_size, policy.image_size) if policy.image_size else None
    return History(
        CAMERAS, world.joint_names, policy.frames, policy.stride, image_size=size)


def see(world: World, histories: Sequence[History]) -> None:
    """Put the present frames into the histories."""
    images = world.render()
    for history in histories:
        for camera, image in images.items():
            history.add_frame(camera, world.time, image, world.time)


def feel(world: World, histories: Sequence[History]) -> None:
    """Put the present joints into the histories."""
    for history in histories:
        history.add_joints(world.time, world.joint_names, world.joint_positions, world.time)


def observe(world: World, history: History) -> Observation:
    """Return what a policy is shown now."""
    observation = history.observe(world.time)
    assert observation is not None, 'the world always gives cameras and joints'
    return observation
