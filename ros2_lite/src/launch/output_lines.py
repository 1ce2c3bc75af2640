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

"""OutputLines: the output of a process, line by line and prefixed."""

import codecs
import logging


class OutputLines:
    """Collects bytes and logs each line as soon as it is complete."""

    def __init__(self, logger: logging.Logger, prefix: str) -> None:
        self._logger = logger
        self._prefix = prefix
        self._decoder = codecs.getincrementaldecoder('utf-8')(errors='replace')
        self._rest = ''

    def write(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + self._decoder.decode(data)).split('\n')
        for line in lines:
            self._log(line)

    def flush(self) -> None:
        """Log an unfinished last line."""
        line = self._rest + self._decoder.decode(b'', final=True)
        self._rest = ''
        if line:
            self._log(line)

    def _log(self, line: str) -> None:
        self._logger.info('[%s] %s', self._prefix, line)
