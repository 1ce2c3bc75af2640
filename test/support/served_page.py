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

"""A served recorder, and plain HTTP and raw sockets towards it."""

from dataclasses import dataclass
import http.client
import json
import socket
import time
from typing import Any

from mem_vla_ros.inspector.demo_run import DemoRun
from mem_vla_ros.inspector.interventions import Interventions
from mem_vla_ros.inspector.recorder import Recorder
from mem_vla_ros.inspector.server import InspectorServer

TOKEN = 'right-token'
TIMEOUT_S = 0.6


@dataclass
class Served:
    """A recorder with its server and what the page did to the robot."""

    recorder: Recorder
    run: DemoRun
    server: InspectorServer
    performed: list[tuple[str, str]]

    @property
    def address(self) -> str:
        return f'127.0.0.1:{self.server.port}'

    def request(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None,
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection(self.address, timeout=10)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        status, _, body = self.request('GET', path)
        assert status == 200, body
        return json.loads(body)

    def act(self, body: Any, **changes: str | None) -> tuple[int, str]:
        """Post an action as the page does; changes replace headers, None removes one."""
        headers = {
            'Host': self.address, 'Origin': f'http://{self.address}', 'X-Memvla-Token': TOKEN,
            'Content-Type': 'application/json'}
        for name, value in changes.items():
            name = {'Token': 'X-Memvla-Token', 'Type': 'Content-Type'}.get(name, name)
            headers.pop(name)
            if value is not None:
                headers[name] = value
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        status, _, answer = self.request('POST', '/api/act', body, headers)
        return status, answer.decode()

    def connect(self) -> socket.socket:
        return socket.create_connection(('127.0.0.1', self.server.port), timeout=10)

    def raw(self, data: bytes) -> bytes:
        """Send bytes and return what comes back until the server closes or falls silent."""
        with self.connect() as connection:
            connection.sendall(data)
            return read_all(connection)


def read_all(connection: socket.socket) -> bytes:
    received = b''
    while True:
        try:
            data = connection.recv(65536)
        except (ConnectionError, TimeoutError):
            return received
        if not data:
            return received
        received += data


def wait_until(condition: Any, timeout_s: float = 10.0) -> None:
    """Poll a condition of another thread or process."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, 'the condition did not come true in time'
        time.sleep(0.01)


def serve(recorder: Recorder, run: DemoRun, token: str | None, **options: Any) -> Served:
    performed: list[tuple[str, str]] = []

    def perform(action: str, text: str) -> None:
        performed.append((action, text))
        if action == 'set_goal':
            recorder.goal(recorder.latest, text)

    interventions = Interventions(recorder, perform, lambda: recorder.latest)
    server = InspectorServer(
        recorder, port=0, token=token, interventions=interventions, **options)
    server.start()
    return Served(recorder, run, server, performed)
