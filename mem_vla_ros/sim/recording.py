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
Recording: one demonstration of an expert.

::

    Recording
    |- images     camera -> (T, H, W, 3) uint8 RGB, seen at step t
    |- joints     (T, 7)   measured positions [rad, gripper m] at step t
    |- actions    (T, 7)   references wanted one step (0.1 s) after step t
    `- entry      what episodes.jsonl says about it: task, seed, secret, goal, steps, success,
                  points, subtasks, memories, told, kept, mistakes

    subtasks: [{text, start, end, succeeded}], steps [start, end), without gaps: the right
              decision at each step
    memories: [{text, start}], valid from a step until the next one
    told, kept: [{text, start}], subtask and memory of the last decision that was heard
    mistakes: [step], those at which the expert missed on purpose, or a learner drove
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
import math
from typing import Any

import numpy as np

from mem_vla_ros.core.types import FloatArray, ImageArray
from mem_vla_ros.sim.experts.expert import Expert
from mem_vla_ros.sim.rollout import (
    DECISION_GAP_S,
    LATE_SHARE,
    Learner,
    LINGER_S,
    run_corrected,
    run_expert,
    Step,
)
from mem_vla_ros.sim.world import World


@dataclass(frozen=True)
class Recording:
    """Arrays and texts of one episode."""

    images: Mapping[str, ImageArray]
    joints: FloatArray
    actions: FloatArray
    entry: Mapping[str, Any]


def record_episode(
    world: World, expert: Expert, seed: int, noise: float, longest_s: float = math.inf,
    late: float = LATE_SHARE,
) -> Recording:
    """
    Let the expert play one episode and return everything that happened.

    :param noise: Scale of the disturbance of the executed actions [rad]; the recorded actions
        are the expert's own, and bring the arm back.
    :param longest_s: The recording ends after this time, whatever has been reached.
    :param late: Share of the decisions that are heard seconds late.
    """
    world.reset(seed)
    run = run_expert(
        world, expert, noise, seed, linger=LINGER_S, gap_s=DECISION_GAP_S, late=late)
    return _record(world, takewhile(lambda step: step.time < longest_s, run), seed, noise)


def record_corrections(
    world: World, expert: Expert, learner: Learner, seed: int, told: float,
) -> Recording:
    """Let a learner and the expert play one episode in turn; see ``run_corrected``."""
    world.reset(seed)
    return _record(world, run_corrected(world, expert, learner, seed, told), seed, 0.0)


def _record(world: World, run: Iterable[Step], seed: int, noise: float) -> Recording:
    steps: list[Step] = []
    images: list[dict[str, ImageArray]] = []
    for step in run:
        steps.append(step)
        images.append(world.render())
    score = world.score()
    # What was cut short shows nothing wrong.
    success = score.success or not score.done
    entry = {
        'task': world.task.name, 'seed': seed, 'secret': world.task.secret, 'goal': world.goal,
        'steps': len(steps), 'success': success, 'points': score.points,
        'max_points': score.max_points, 'noise': noise,
        'subtasks': subtask_segments(steps, success),
        **{name: text_changes([getattr(step, field) for step in steps]) for name, field in (
            ('memories', 'memory'), ('told', 'told'), ('kept', 'kept'))},
        'mistakes': [index for index, step in enumerate(steps) if step.mistaken]}
    return Recording(
        images={name: np.stack([frame[name] for frame in images]) for name in images[0]},
        joints=np.array([step.joints for step in steps], dtype=np.float32),
        actions=np.array([step.action for step in steps], dtype=np.float32), entry=entry)


def subtask_segments(steps: list[Step], success: bool) -> list[dict[str, Any]]:
    """Return the subtasks in order, each with its steps and whether it succeeded."""
    segments: list[dict[str, Any]] = []
    for index, step in enumerate(steps):
        if not segments or step.succeeded is not None or step.subtask != segments[-1]['text']:
            if segments:
                segments[-1] |= {'end': index, 'succeeded': step.succeeded is not False}
            segments.append({'text': step.subtask, 'start': index})
    if segments:
        segments[-1] |= {'end': len(steps), 'succeeded': success}
    return segments


def text_changes(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return every new text with the step from which it is valid."""
    changes: list[dict[str, Any]] = []
    for index, text in enumerate(texts):
        if not changes or text != changes[-1]['text']:
            changes.append({'text': text, 'start': index})
    return changes
