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

"""One episode in the whole ROS graph: ``demo.launch.py`` in a process of its own."""

from collections.abc import Mapping, Sequence
import json
import os
from pathlib import Path
import signal
import subprocess
import tempfile
from typing import Any, IO


def play_in_graph(
    task: str, seed: int, launch_arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None, log: IO[str] | None = None,
) -> dict[str, Any] | None:
    """
    Run the launch file until the task ends.

    :param launch_arguments: More arguments of the launch file, as ``name:=value``.
    :param environment: Changes of the environment.
    :param log: Takes what the nodes print; None shows it.
    :returns: The final score with task, seed and time; None if the graph ended without one.
    """
    with tempfile.TemporaryDirectory() as folder:
        result_file = Path(folder) / 'result.json'
        launch = subprocess.Popen(
            ['ros2', 'launch', 'mem_vla_ros', 'demo.launch.py', f'task:={task}', f'seed:={seed}',
             f'result_file:={result_file}', *launch_arguments],
            env={**os.environ, **(environment or {})}, stdout=log, stderr=log)
        try:
            launch.wait()
        except KeyboardInterrupt:
            # The terminal has sent SIGINT to the launch process too; it ends its nodes.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            launch.wait()
            raise
        if not result_file.exists():
            return None
        score: dict[str, Any] = json.loads(result_file.read_text(encoding='utf-8'))
        return score


def learned_policies(low: Path | str, high: Path | str, image_size: int) -> list[str]:
    """
    Return the launch arguments that run checkpoints.

    :param high: Empty runs the low level alone.
    :param image_size: Side of the camera images [px]; a policy acts best on what it was trained
        with.
    """
    arguments: dict[str, object] = {
        'low_level_backend': 'memvla', 'low_level_checkpoint': Path(low).resolve(),
        'image_size': image_size}
    if high:
        arguments |= {
            'high_level_backend': 'memvla', 'high_level_checkpoint': Path(high).resolve()}
    else:
        arguments |= {'high_level': 'false', 'start_subscribers': 1}
    return [f'{name}:={value}' for name, value in arguments.items()]
