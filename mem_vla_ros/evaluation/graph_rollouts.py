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

"""Rollouts through the whole ROS graph, in real time, one after the other."""

from collections.abc import Iterator, Sequence
import os
from pathlib import Path
import re
import tempfile

import yaml

from mem_vla_ros.evaluation.graph_episode import learned_policies, play_in_graph
from mem_vla_ros.evaluation.rollouts import RolloutJob, Row
from mem_vla_ros.sim.tasks.registry import make_task

_LAST_LINES = 20
#: Loading a model takes as long as the machine is busy; an episode must not begin before.
_START_TIMEOUT_S = 600.0
#: What the executor says when it latches a fault; the first cause is the one that counts.
_EXECUTOR_FAULT = re.compile(r'\[action_executor\]: FAULT (\w+)')


def roll_out_in_graph(job: RolloutJob, seeds: Sequence[int]) -> Iterator[Row]:
    """
    Yield one row per seed.

    A graph that ends without a score counts as a failure, and shows the end of its log. Where
    the executor has stopped the arm for good, that is the reason of a failure.
    """
    # Of its own, so that other graphs on this machine are not disturbed; docs/middleware.md.
    environment = {'ROS_DOMAIN_ID': str(1 + os.getpid() % 100)}
    with tempfile.TemporaryDirectory() as folder:
        parameters = Path(folder) / 'parameters.yaml'
        parameters.write_text(yaml.safe_dump(_parameters(job)), encoding='utf-8')
        arguments = [*_launch_arguments(job), f'params_file:={parameters}']
        for seed in seeds:
            with open(Path(folder) / f'{seed}.log', 'w+', encoding='utf-8') as log:
                score = play_in_graph(job.task, seed, arguments, environment, log)
                log.seek(0)
                lines = log.readlines()
            if score is None:
                print(*lines[-_LAST_LINES:], sep='')
            yield _row(job, seed, score, lines)


def _launch_arguments(job: RolloutJob) -> list[str]:
    return [
        *learned_policies(job.low, job.high, job.image_size), f'slip:={job.slip}',
        'inspector:=false', f'start_timeout:={_START_TIMEOUT_S}']


def _parameters(job: RolloutJob) -> dict[str, dict[str, dict[str, object]]]:
    """Return the parameters that make the nodes do as rollouts in process do."""
    settings = job.settings
    nodes: dict[str, dict[str, object]] = {
        'high_level_policy': {
            'memory_mode': settings.memory_mode, 'period': settings.decide_every_s},
        # The last row is executed while the next chunk is made.
        'low_level_policy': {'execution_horizon': max(1, settings.execution_rows - 1)}}
    return {f'/**/{node}': {'ros__parameters': values} for node, values in nodes.items()}


def _row(job: RolloutJob, seed: int, score: Row | None, log: Sequence[str]) -> Row:
    score = score or {
        'success': False, 'points': 0.0, 'max_points': make_task(job.task).max_points,
        'reason': 'the graph ended without a score', 'details': {}, 'time_s': None}
    kept = ('success', 'points', 'max_points', 'reason', 'details', 'time_s')
    row = {'seed': seed, **{key: score[key] for key in kept}}
    stopped = next(filter(None, map(_EXECUTOR_FAULT.search, log)), None)
    if stopped and not row['success']:
        row['reason'] = f'executor in FAULT: {stopped[1]}'
    return row
