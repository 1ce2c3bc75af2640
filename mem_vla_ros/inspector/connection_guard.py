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
Connections that can't be used to starve the server.

aiohttp alone waits without end for the first request of a connection, however slowly its bytes
drip in. Here a connection is cut when it has no request in work for a few seconds, and the
number of connections is bounded.
"""

import asyncio
from collections.abc import Callable

MAX_CONNECTIONS = 32
IDLE_TIMEOUT_S = 5.0


class ConnectionGuard:
    """Counts connections and cuts those that are idle, or slow to ask or to take an answer."""

    def __init__(
        self, max_connections: int = MAX_CONNECTIONS, idle_timeout_s: float = IDLE_TIMEOUT_S,
    ) -> None:
        self._max_connections = max_connections
        self._idle_timeout_s = idle_timeout_s
        self._deadlines: dict[asyncio.BaseTransport, asyncio.TimerHandle] = {}

    @property
    def connections(self) -> int:
        """Return how many connections are open."""
        return len(self._deadlines)

    def wrap(self, make_handler: Callable[[], asyncio.Protocol]) -> Callable[[], asyncio.Protocol]:
        """Return a protocol factory whose connections are guarded."""
        return lambda: _GuardedConnection(self, make_handler)

    def admit(self, transport: asyncio.Transport) -> bool:
        """Return whether there is room for one more connection."""
        if len(self._deadlines) >= self._max_connections:
            return False
        self._set_deadline(transport)
        return True

    def forget(self, transport: asyncio.BaseTransport) -> None:
        """Take note that a connection is over."""
        deadline = self._deadlines.pop(transport, None)
        if deadline is not None:
            deadline.cancel()

    def begin_request(self, transport: asyncio.BaseTransport | None) -> None:
        """Stop the clock of a connection while its request is in work."""
        if transport in self._deadlines:
            self._deadlines[transport].cancel()

    def end_request(self, transport: asyncio.BaseTransport | None) -> None:
        """Start the clock again: for taking the answer and for the next request."""
        if transport in self._deadlines:
            self._deadlines[transport].cancel()
            self._set_deadline(transport)

    def _set_deadline(self, transport: asyncio.BaseTransport) -> None:
        self._deadlines[transport] = asyncio.get_running_loop().call_later(
            self._idle_timeout_s, transport.abort)  # type: ignore[attr-defined]


class _GuardedConnection(asyncio.Protocol):
    """Passes everything on to aiohttp's handler of one connection."""

    def __init__(
        self, guard: ConnectionGuard, make_handler: Callable[[], asyncio.Protocol],
    ) -> None:
        self._guard = guard
        self._make_handler = make_handler
        self._handler: asyncio.Protocol | None = None
        self._transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        if not self._guard.admit(transport):
            transport.abort()
            return
        self._transport = transport
        self._handler = self._make_handler()
        self._handler.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._handler is not None and self._transport is not None:
            self._guard.forget(self._transport)
            self._handler.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._handler is not None:
            self._handler.data_received(data)

    def eof_received(self) -> bool | None:
        return self._handler.eof_received() if self._handler is not None else None

    def pause_writing(self) -> None:
        if self._handler is not None:
            self._handler.pause_writing()

    def resume_writing(self) -> None:
        if self._handler is not None:
            self._handler.resume_writing()
