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

"""Recall of closed episodes for a new goal; a store that fails is counted, never fatal."""

import sqlite3

from mem_vla_ros.memory.episode_store import EpisodeStore
from mem_vla_ros.memory.memory_budget import MemoryBudget


class EpisodeRecall:
    """
    Hands memories from episode to episode.

    :param store: None turns it off.
    """

    def __init__(self, store: EpisodeStore | None) -> None:
        self._store = store
        self.faults = 0

    def recall(self, goal: str, budget: MemoryBudget) -> str:
        """Return what closed episodes knew about the goal, or an empty text."""
        if self._store is None or not goal:
            return ''
        try:
            return self._store.recall(goal, budget)
        except sqlite3.Error:
            self.faults += 1
            return ''

    def remember(self, episode: str, goal: str, memory: str, now: float) -> None:
        """Keep the final memory of an episode, if it has one."""
        if self._store is None or not goal or not memory:
            return
        try:
            self._store.add(episode, goal, memory, now)
        except sqlite3.Error:
            self.faults += 1
