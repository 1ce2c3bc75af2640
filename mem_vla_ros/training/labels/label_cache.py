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

"""Labels that have been paid for, found again by the content of their question."""

import hashlib
import json
from pathlib import Path
from typing import Any

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.memory.record_file import RecordFile


class LabelCache:
    """
    Answers by the hash of their question, in one append-only file with checksums.

    A run that is killed loses at most the answer that it waited for.

    :raises ConfigError: if the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._answers: dict[str, str] = {}
        self._file = RecordFile(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            recovery = self._file.open()
        except OSError as error:
            raise ConfigError(f'Label cache {path} cannot be opened: {error}') from error
        for record in recovery.records:
            self._answers[str(record.get('key'))] = str(record.get('answer'))

    def get(self, question: Any) -> str | None:
        """Return the answer to the question (plain JSON values), or None."""
        return self._answers.get(_hash(question))

    def put(self, question: Any, answer: str) -> None:
        """
        Keep an answer.

        :raises OSError: if it cannot be written.
        """
        key = _hash(question)
        self._file.append({'key': key, 'answer': answer})
        self._answers[key] = answer

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _hash(question: Any) -> str:
    text = json.dumps(question, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
