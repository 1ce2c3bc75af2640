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
Fifteen minutes of scripted kitchen through the high-level loop, fast-forwarded.

The policy answers with the rule-based labels at 1 Hz; printed is the journal that this leaves.
The last line is one JSON object.
"""

import argparse
import json
from pathlib import Path
import tempfile
import time

import numpy as np

from mem_vla_ros.core.types import JointStack, Observation
from mem_vla_ros.memory.journal import Journal, JournalRecord, read_episode
from mem_vla_ros.memory.journal_view import format_record
from mem_vla_ros.memory.memory_budget import MemoryBudget
from mem_vla_ros.policies.high_level_loop import HighLevelLoop
from mem_vla_ros.policies.high_level_settings import HighLevelSettings
from mem_vla_ros.training.labels.kitchen_episode import make_kitchen_episode
from mem_vla_ros.training.labels.label_replay_policy import LabelReplayPolicy
from mem_vla_ros.training.labels.labeller import Labeller
from mem_vla_ros.training.labels.report import make_report


def observe(stamp: float) -> Observation:
    """Return an observation without images: the labels know what there is to see."""
    joints = JointStack(np.zeros((1, 1)), np.array([stamp]), np.array([True]))
    return Observation(stamp, {}, joints)


def run_episode(records: list, goal: str, folder: Path) -> tuple[list[JournalRecord], int]:
    """Return the journal of the episode, and how many decisions were made."""
    journal = Journal(folder)
    loop = HighLevelLoop(
        LabelReplayPolicy(records, begin=0.0), 'labels',
        HighLevelSettings(retry_keeps_memory=False), journal)
    episode = loop.start(0.0, goal).episode
    steps = int(records[-1].end) + 1
    for second in range(steps):
        assert loop.due(float(second))
        loop.step(observe(float(second)), float(second), time.monotonic)
    journal.close()
    return read_episode(folder, episode), steps


def main() -> None:
    """Run the episode and print its journal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--minutes', type=float, default=15.0)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--full', action='store_true', help='whole memories, not differences')
    args = parser.parse_args()
    episode = make_kitchen_episode(args.seed, 60.0 * args.minutes)
    labeller = Labeller(MemoryBudget())
    records = labeller.label(episode)
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        journal, steps = run_episode(records, episode.goal, Path(folder))
        wall = time.monotonic() - started
    for record in journal:
        print(format_record(record, args.full))
    report = make_report([episode], records, labeller.counts)
    print(report)
    print(json.dumps({
        'subtasks': len(episode.subtasks), 'decisions': steps, 'journal_records': len(journal),
        'memory_versions': journal[-1].state.memory_version,
        'final_memory_chars': len(journal[-1].state.memory),
        'naive_over_ours': round(report.compression, 2), 'wall_s': round(wall, 2)}))


if __name__ == '__main__':
    main()
