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
Annotations made from a recorded run, for runs that were right.

A scripted expert knows what it does; its decisions are what a learned policy is measured by.
"""

import json
from pathlib import Path
import re

from mem_vla_ros.core.robot import Robot
from mem_vla_ros.evaluation.annotations import FILE_NAME
from mem_vla_ros.evaluation.bag_reader import BagReader
from mem_vla_ros.evaluation.bag_storage import BagStorage
from mem_vla_ros.evaluation.recorded_episode import read_episodes
from mem_vla_ros.evaluation.run_trace import RunTrace
from mem_vla_ros.evaluation.text_timeline import memory_timeline, subtask_timeline, TextSpan


def annotate_bag(bag: Path, robot: Robot) -> Path:
    """
    Write the annotation file of a bag from the decisions that it recorded.

    :returns: The file, beside the bag.
    """
    with BagStorage(bag) as storage:
        episodes = read_episodes(BagReader(storage, robot))
    lines = [line for episode in episodes for line in annotations_of_run(episode.trace)]
    path = bag.with_name(f'{bag.name}.{FILE_NAME}')
    path.write_text(''.join(json.dumps(line) + '\n' for line in lines), encoding='utf-8')
    return path


def annotations_of_run(trace: RunTrace) -> list[dict[str, object]]:
    """
    Return the subtasks of a run, and the statements of its memories as facts.

    A fact matters from the first memory that says it to the last that does.
    """
    subtasks: list[dict[str, object]] = [
        {'type': 'subtask', 'start': span.start, 'end': span.end, 'text': span.text}
        for span in subtask_timeline(trace.high_level, trace.end).spans if span.text]
    spans: dict[str, list[TextSpan]] = {}
    for span in memory_timeline(trace.high_level, trace.end).spans:
        for statement in filter(None, re.split(r'[.;,]\s+', span.text)):
            spans.setdefault(statement, []).append(span)
    return subtasks + [
        {'type': 'fact', 'name': statement, 'match': [statement], 'from': said[0].start,
         'until': said[-1].end}
        for statement, said in spans.items()]
