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
Reading from a socket until a deadline.

A socket's own time-out starts again with every byte, so a server that sends one byte a second
would hold its client for ever.
"""

import io
import socket
import time
from typing import Any


class DeadlineSocket:
    """
    What ``http.client.HTTPResponse`` needs of a socket: a file whose reads all end in time.

    :param deadline: On the clock of ``time.monotonic`` [s].
    """

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return a buffered file; reading past the deadline raises ``TimeoutError``."""
        return io.BufferedReader(_DeadlineReader(self._sock, self._deadline))


class _DeadlineReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, deadline: float) -> None:
        super().__init__()
        self._sock = sock
        self._deadline = deadline
        # The socket's own file keeps it open until the response has been read.
        self._raw = sock.makefile('rb', buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError('deadline passed')
        self._sock.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
