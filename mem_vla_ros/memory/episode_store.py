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
Memories of closed episodes, found again by words: SQLite with full-text search.

Off by default. What fits a new goal best becomes the first memory of the new episode, within half
of the budget, so that the policy has room to write.
"""

from dataclasses import dataclass
from pathlib import Path
import re
import sqlite3
from threading import Lock

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.text import escape_unsafe
from mem_vla_ros.memory.memory_budget import MemoryBudget

RECALL_INTRODUCTION = 'Earlier:'
_BUDGET_SHARE = 2
_WORD = re.compile(r'\w+')
_COMMON = (
    'a all an and any are at be by do for from go in into is it its me my of off on onto or out '
    'put so some take that the their them then there these this to up was we were with you your')
_COMMON_WORDS = frozenset(_COMMON.split())
_SCHEMA = '''
CREATE TABLE IF NOT EXISTS episodes (
    id INTEGER PRIMARY KEY, episode TEXT NOT NULL UNIQUE, closed REAL NOT NULL,
    goal TEXT NOT NULL, memory TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
    goal, memory, content='episodes', content_rowid='id', tokenize='porter');
CREATE TRIGGER IF NOT EXISTS episode_added AFTER INSERT ON episodes BEGIN
    INSERT INTO words(rowid, goal, memory) VALUES (new.id, new.goal, new.memory);
END;
CREATE TRIGGER IF NOT EXISTS episode_removed AFTER DELETE ON episodes BEGIN
    INSERT INTO words(words, rowid, goal, memory)
        VALUES ('delete', old.id, old.goal, old.memory);
END;
'''
_COLUMNS = 'episodes.episode, episodes.goal, episodes.memory, episodes.closed'


@dataclass(frozen=True)
class ClosedEpisode:
    """Final memory of one episode; ``closed`` is the node's clock at its end [s]."""

    episode: str
    goal: str
    memory: str
    closed: float


class EpisodeStore:
    """
    Keeps closed episodes in one database file; may be used from several threads.

    :param path: Made when missing. A file that is no sound database is moved to
        ``<file>.corrupt`` and a new one begun.
    :param max_recalled: At most so many episodes in one recall.
    :raises ConfigError: if the file cannot be opened.
    """

    def __init__(self, path: Path, max_recalled: int = 3) -> None:
        self.path = path
        self.max_recalled = max_recalled
        self.recovered = False
        self._guard = Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = self._open()
        except (sqlite3.Error, OSError) as error:
            raise ConfigError(f'Episode store {path} cannot be opened: {error}') from error

    def add(self, episode: str, goal: str, memory: str, closed: float) -> None:
        """
        Keep the final memory of an episode; the same episode again replaces it.

        :raises sqlite3.Error: if it cannot be written.
        """
        with self._guard, self._database:
            self._database.execute('DELETE FROM episodes WHERE episode = ?', (episode,))
            self._database.execute(
                'INSERT INTO episodes (episode, goal, memory, closed) VALUES (?, ?, ?, ?)',
                (episode, goal, memory, closed))

    def newest(self, limit: int = 100) -> list[ClosedEpisode]:
        """Return the newest episodes, newest first."""
        return self._select('FROM episodes ORDER BY id DESC LIMIT ?', limit)

    def search(self, text: str, limit: int = 20) -> list[ClosedEpisode]:
        """Return the episodes that share words with the text, best first."""
        words = {word for word in _WORD.findall(text.lower()) if word not in _COMMON_WORDS}
        if not words:
            return []
        # Each word is quoted, so no text can be read as an operator of the query language.
        query = ' OR '.join(f'"{word}"' for word in sorted(words))
        return self._select(
            'FROM words JOIN episodes ON episodes.id = words.rowid WHERE words MATCH ? '
            'ORDER BY bm25(words), episodes.id DESC LIMIT ?', query, limit)

    def recall(self, goal: str, budget: MemoryBudget) -> str:
        """
        Return the memories that fit the goal best as one text, or an empty one.

        It takes at most half of the budget; a memory that does not fit is left out whole.
        """
        text = ''
        share = MemoryBudget(
            max(1, budget.max_chars // _BUDGET_SHARE), max(1, budget.max_tokens // _BUDGET_SHARE),
            budget.count_tokens)
        for found in self.search(goal, self.max_recalled):
            memory = escape_unsafe(found.memory).removeprefix(RECALL_INTRODUCTION).strip()
            longer = f'{text} {memory}' if text else f'{RECALL_INTRODUCTION} {memory}'
            if memory and memory not in text and share.fits(longer):
                text = longer
        return text

    def purge(self, keep: int = 0) -> int:
        """Delete all episodes but the newest ``keep``; return how many were deleted."""
        with self._guard, self._database:
            cursor = self._database.execute(
                'DELETE FROM episodes WHERE id NOT IN '
                '(SELECT id FROM episodes ORDER BY id DESC LIMIT ?)', (keep,))
            return cursor.rowcount

    def close(self) -> None:
        """Close the database."""
        with self._guard:
            self._database.close()

    def _select(self, tail: str, *values: object) -> list[ClosedEpisode]:
        with self._guard:
            rows = self._database.execute(f'SELECT {_COLUMNS} {tail}', values).fetchall()
        return [ClosedEpisode(*row) for row in rows]

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            self.path.replace(f'{self.path}.corrupt')
            self.recovered = True
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=1.0, check_same_thread=False)
        try:
            (verdict,) = database.execute('PRAGMA quick_check(1)').fetchone()
            if verdict != 'ok':
                raise sqlite3.DatabaseError(verdict)
            database.executescript(_SCHEMA)
        except sqlite3.Error:
            database.close()
            raise
        return database
