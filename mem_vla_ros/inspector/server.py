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
The web page of the inspector, served from a thread of its own.

Routes are a fixed table and no name from a URL ever reaches the file system. Live news go out as
server-sent events; what several pages need is computed once.
"""

import asyncio
from collections.abc import Awaitable, Callable
from importlib import resources
import json
import logging
import math
import threading
from typing import Any

from aiohttp import web

from mem_vla_ros.core.errors import ConfigError, MemVlaError
from mem_vla_ros.inspector.connection_guard import ConnectionGuard, IDLE_TIMEOUT_S
from mem_vla_ros.inspector.interventions import Interventions
from mem_vla_ros.inspector.moment import mark_summary, memory_versions, moment, motion
from mem_vla_ros.inspector.recorder import Recorder
from mem_vla_ros.inspector.request_guard import (
    add_security_headers,
    MAX_BODY_BYTES,
    RequestGuard,
)

DEFAULT_HOST = '127.0.0.1'
DEFAULT_PORT = 8770
PORTS_TRIED = 10
ACTION_TIMEOUT_S = 5.0
START_TIMEOUT_S = 10.0
TICK_S = 0.08
HEARTBEAT_S = 1.0
MARKS_PER_EVENT = 2000
MAX_VERSIONS = 50
CONTENT_TYPES = {
    '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml'}
#: A frame never changes under its number.
FRAME_CACHE = 'private, max-age=3600, immutable'

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ServerNotStarted(MemVlaError):  # noqa: N818
    """No port could be opened."""


class InspectorServer:
    """
    Serves one recorder.

    :param host: Address to serve on; empty is refused, since sockets take it for all addresses.
    :param port: First port tried; 0 takes any free one.
    :param token: Needed to act; None or no interventions make the page read-only.
    :param is_live: Whether the recorder still grows; False for a recording.
    :param timeout_s: How long a client may take for its request, or to take its answer.
    """

    def __init__(
        self, recorder: Recorder, host: str = DEFAULT_HOST, port: int = DEFAULT_PORT,
        token: str | None = None, interventions: Interventions | None = None,
        is_live: bool = True, timeout_s: float = IDLE_TIMEOUT_S,
    ) -> None:
        if not host:
            raise ConfigError(
                "host must name an address, such as '127.0.0.1', or '0.0.0.0' for all. Got ''.")
        self._recorder = recorder
        self._host = host
        self._first_port = port
        self._interventions = interventions if token else None
        self._is_live = is_live
        self._request_guard = RequestGuard(host, token if interventions else None)
        self._timeout_s = timeout_s
        self._connection_guard = ConnectionGuard(idle_timeout_s=timeout_s)
        self._static = _load_static()
        self._live_cache: tuple[int, bytes] = (-1, b'')
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._started = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name='inspector-web', daemon=True)
        self.port = 0

    @property
    def url(self) -> str:
        """Return the address of the page."""
        host = f'[{self._host}]' if ':' in self._host else self._host
        return f'http://{host}:{self.port}/'

    def start(self) -> str:
        """
        Start serving and return the address of the page.

        :raises ServerNotStarted: if neither the port nor one of the next ones is free.
        """
        self._thread.start()
        self._started.wait(START_TIMEOUT_S)
        if self._failure is not None or not self.port:
            raise ServerNotStarted(
                f'The inspector page could not open a port on {self._host}: tried '
                f'{self._first_port} to {self._first_port + PORTS_TRIED - 1}. {self._failure}')
        return self.url

    def stop(self) -> None:
        """End all connections and the thread."""
        if self._thread.is_alive() and self._loop is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(START_TIMEOUT_S)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as error:
            self._failure = error
        finally:
            self._started.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        # A client that breaks off is no news for the terminal.
        logging.getLogger('aiohttp.server').setLevel(logging.CRITICAL)
        runner = web.AppRunner(
            self._make_app(), access_log=None, shutdown_timeout=0.5, max_line_size=4096,
            max_field_size=4096)
        await runner.setup()
        assert runner.server is not None
        server = await self._listen(self._connection_guard.wrap(runner.server))
        self._started.set()
        await self._stopping.wait()
        server.close()
        await runner.cleanup()

    async def _listen(self, factory: Callable[[], asyncio.Protocol]) -> asyncio.Server:
        ports = [self._first_port + offset for offset in range(PORTS_TRIED)]
        for port in ports if self._first_port else [0]:
            try:
                server = await asyncio.get_running_loop().create_server(factory, self._host, port)
            except OSError as error:
                failure = error
                continue
            self.port = server.sockets[0].getsockname()[1]
            return server
        raise failure

    def _make_app(self) -> web.Application:
        app = web.Application(
            middlewares=[self._guard], client_max_size=MAX_BODY_BYTES)
        app.on_response_prepare.append(add_security_headers)
        for path in self._static:
            app.router.add_get(path, self._get_static)
        app.router.add_get('/api/live', self._get_live)
        app.router.add_get('/api/moment', self._get_moment)
        app.router.add_get('/api/versions', self._get_versions)
        app.router.add_get(r'/frames/{number:\d{1,16}}', self._get_frame)
        app.router.add_post('/api/act', self._post_action)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        self._connection_guard.begin_request(request.transport)
        try:
            self._request_guard.check_host(request)
            return await handler(request)
        finally:
            self._connection_guard.end_request(request.transport)

    async def _get_static(self, request: web.Request) -> web.Response:
        body, content_type = self._static[request.path]
        return web.Response(body=body, content_type=content_type, charset='utf-8')

    async def _get_frame(self, request: web.Request) -> web.Response:
        with self._recorder.lock:
            jpeg = self._recorder.frames.jpeg(int(request.match_info['number']))
        if not jpeg:
            raise web.HTTPNotFound(text='This frame is not kept.')
        return web.Response(
            body=jpeg, content_type='image/jpeg', headers={'Cache-Control': FRAME_CACHE})

    async def _get_moment(self, request: web.Request) -> web.Response:
        time = _time_of(request)
        return web.json_response({
            'moment': moment(self._recorder, time), 'motion': motion(self._recorder, time)})

    async def _get_versions(self, request: web.Request) -> web.Response:
        return web.json_response(
            memory_versions(self._recorder, _time_of(request), MAX_VERSIONS))

    async def _get_live(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={'Content-Type': 'text/event-stream'})
        await response.prepare(request)
        await self._send(response, _event('about', {
            'live': self._is_live, 'editable': self._interventions is not None}))
        next_mark, seen, silent_s = 0, -1, 0.0
        while not self._stopping.is_set():
            if self._recorder.changes != seen or silent_s >= HEARTBEAT_S:
                seen, silent_s = self._recorder.changes, 0.0
                next_mark = await self._send_marks(response, next_mark)
                await self._send(response, self._live_event())
            await asyncio.sleep(TICK_S)
            silent_s += TICK_S
        return response

    async def _send_marks(self, response: web.StreamResponse, next_mark: int) -> int:
        marks = self._recorder.timeline.since(next_mark)
        for begin in range(0, len(marks), MARKS_PER_EVENT):
            batch = marks[begin:begin + MARKS_PER_EVENT]
            await self._send(response, _event('marks', [mark_summary(mark) for mark in batch]))
        return marks[-1].number + 1 if marks else next_mark

    def _live_event(self) -> bytes:
        changes = self._recorder.changes
        if self._live_cache[0] != changes:
            self._live_cache = changes, _event('moment', {
                'moment': moment(self._recorder), 'motion': motion(self._recorder)})
        return self._live_cache[1]

    async def _send(self, response: web.StreamResponse, event: bytes) -> None:
        async with asyncio.timeout(self._timeout_s):
            await response.write(event)

    async def _post_action(self, request: web.Request) -> web.Response:
        self._request_guard.check_action(request)
        assert self._interventions is not None
        action, text = await _read_action(request, self._timeout_s)
        try:
            async with asyncio.timeout(ACTION_TIMEOUT_S):
                done = await asyncio.to_thread(self._interventions.act, action, text)
        except MemVlaError as error:
            return web.json_response({'error': str(error)}, status=400)
        except TimeoutError:
            return web.json_response({'error': 'The robot did not answer.'}, status=504)
        return web.json_response({'done': done})


def _load_static() -> dict[str, tuple[bytes, str]]:
    """Return path -> content and type of every file of the page."""
    folder = resources.files('mem_vla_ros.inspector') / 'static'
    files = {}
    for item in folder.iterdir():
        content_type = CONTENT_TYPES.get('.' + item.name.rpartition('.')[2])
        if content_type is not None:
            path = '/' if item.name == 'index.html' else f'/{item.name}'
            files[path] = (item.read_bytes(), content_type)
    return files


def _time_of(request: web.Request) -> float:
    try:
        time = float(request.query.get('time', ''))
    except ValueError:
        time = math.nan
    if not math.isfinite(time):
        raise web.HTTPBadRequest(text='time must be a number of seconds.')
    return time


async def _read_action(request: web.Request, timeout_s: float) -> tuple[str, str]:
    try:
        async with asyncio.timeout(timeout_s):
            body = json.loads(await request.read())
    except (ValueError, RecursionError) as error:
        raise web.HTTPBadRequest(text='The body is not JSON.') from error
    except TimeoutError as error:
        raise web.HTTPRequestTimeout(text='The body did not arrive in time.') from error
    if not isinstance(body, dict) or not all(
            isinstance(body.get(key, ''), str) for key in ('action', 'text')):
        raise web.HTTPBadRequest(text='Expected {"action": text, "text": text}.')
    return body.get('action', ''), body.get('text', '')


def _event(name: str, document: Any) -> bytes:
    return f'event: {name}\ndata: {json.dumps(document)}\n\n'.encode()
