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

"""Backend ``openai`` against a local HTTP server that misbehaves in every way."""

import base64
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import json
import socket
from threading import Event, Thread
import time
from typing import Any

import cv2
import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.types import FrameStack, JointStack, Observation
from mem_vla_ros.policies.chat_endpoint import ChatEndpoint, EndpointConfig, EndpointError
from mem_vla_ros.policies.chat_model import ChatMessage
from mem_vla_ros.policies.high_level_answer import MalformedAnswer, OversizedAnswer
from mem_vla_ros.policies.high_level_loop import HighLevelLoop
from mem_vla_ros.policies.high_level_prompt import HighLevelPrompt
from mem_vla_ros.policies.prompted_high_level import PromptedHighLevel

GOOD_ANSWER = 'Subtask: "pick up the bowl"\nMemory: "I moved to the counter."'
Behaviour = Callable[['Handler'], None]


class Handler(BaseHTTPRequestHandler):
    """Answers with the next behaviour of its server, and with the last one from then on."""

    protocol_version = 'HTTP/1.1'

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers['Content-Length']))
        self.server.requests.append((self.path, dict(self.headers), json.loads(body)))
        behaviours = self.server.behaviours
        behaviour = behaviours.pop(0) if len(behaviours) > 1 else behaviours[0]
        self.close_connection = True
        with suppress(OSError):
            behaviour(self)

    def log_message(self, *args: Any) -> None:
        """Keep the test output clean."""

    def send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {'Content-Length': str(len(body)), **headers}.items():
            self.send_header(name.replace('_', '-'), value)
        self.end_headers()
        self.wfile.write(body)


def completion(text: Any, finish_reason: str = 'stop') -> bytes:
    return json.dumps({'choices': [
        {'message': {'role': 'assistant', 'content': text}, 'finish_reason': finish_reason}],
    }).encode()


def good(handler: Handler) -> None:
    handler.send(200, completion(GOOD_ANSWER))


def good_in_chunks(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header('Transfer-Encoding', 'chunked')
    handler.end_headers()
    for byte in completion(GOOD_ANSWER):
        handler.wfile.write(b'1\r\n%c\r\n' % byte)
    handler.wfile.write(b'0\r\n\r\n')


def good_until_closed(handler: Handler) -> None:
    handler.wfile.write(b'HTTP/1.0 200 OK\r\n\r\n' + completion(GOOD_ANSWER))


def answer_status(status: int, **headers: str) -> Behaviour:
    return lambda handler: handler.send(status, b'{"error": "\x1b[2J no"}', **headers)


def answer_body(body: bytes) -> Behaviour:
    return lambda handler: handler.send(200, body)


def hang(handler: Handler) -> None:
    handler.server.released.wait(10.0)


def drip_headers(handler: Handler) -> None:
    for byte in b'HTTP/1.1 200 OK\r\nX-Slow: ' + b'a' * 1000:
        handler.wfile.write(bytes([byte]))
        if handler.server.released.wait(0.02):
            return


def drip_body(handler: Handler) -> None:
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')
    for _ in range(1000):
        handler.wfile.write(b' ')
        if handler.server.released.wait(0.02):
            return


def cut_before_headers(handler: Handler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def cut_in_headers(handler: Handler) -> None:
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Le')


def cut_in_body(handler: Handler) -> None:
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"choices": [')


def cut_in_chunk(handler: Handler) -> None:
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1ff\r\n{"ch')


def not_http(handler: Handler) -> None:
    handler.wfile.write(b'\x00\x01SSH-2.0 hello\r\n\r\n')


def endless_headers(handler: Handler) -> None:
    handler.wfile.write(b'HTTP/1.1 200 OK\r\n' + b'X-More: yes\r\n' * 5000)


def huge_body(handler: Handler) -> None:
    handler.wfile.write(b'HTTP/1.1 200 OK\r\n\r\n')
    for _ in range(1000):
        handler.wfile.write(b' ' * 100_000)


def huge_claim(handler: Handler) -> None:
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n')
    for _ in range(1000):
        handler.wfile.write(b' ' * 100_000)


def redirect(handler: Handler) -> None:
    handler.send(302, b'', Location='http://127.0.0.1:9/steal')


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(('127.0.0.1', 0), Handler)
        self.behaviours: list[Behaviour] = [good]
        self.requests: list[tuple[str, dict, dict]] = []
        self.released = Event()

    @property
    def url(self) -> str:
        return f'http://127.0.0.1:{self.server_port}/v1/'


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01}).start()
        yield server
        server.released.set()
        server.shutdown()


def make_endpoint(server: Server, waits: list[float] | None = None, **fields: Any) -> ChatEndpoint:
    fields = {'timeout_s': 5.0, 'max_response_bytes': 100_000, **fields}
    config = EndpointConfig(server.url, 'model', **fields)
    return ChatEndpoint(config, (waits if waits is not None else []).append)


def ask(endpoint: ChatEndpoint) -> str:
    return endpoint.complete([ChatMessage('user', 'hello')], max_tokens=9)


def make_observation() -> Observation:
    red = np.zeros((1, 32, 32, 3), np.uint8)
    red[..., 0] = 250
    joints = JointStack(np.zeros((1, 7)), np.zeros(1), np.array([True]))
    return Observation(1.0, {'base': FrameStack(red, np.ones(1), np.array([True]))}, joints)


@pytest.mark.parametrize('behaviour', [good, good_in_chunks, good_until_closed])
def test_good_answer_arrives_however_it_is_framed(server: Server, behaviour: Behaviour) -> None:
    server.behaviours = [behaviour]
    assert ask(make_endpoint(server)) == GOOD_ANSWER


MISBEHAVIOURS = [
    ('500', answer_status(500), EndpointError, 3),
    ('429', answer_status(429), EndpointError, 3),
    ('401', answer_status(401), EndpointError, 1),
    ('404', answer_status(404), EndpointError, 1),
    ('redirect', redirect, EndpointError, 1),
    ('cut before headers', cut_before_headers, EndpointError, 3),
    ('cut in headers', cut_in_headers, EndpointError, 3),
    ('cut in body', cut_in_body, EndpointError, 3),
    ('cut in chunk', cut_in_chunk, EndpointError, 3),
    ('not http', not_http, EndpointError, 3),
    ('endless headers', endless_headers, EndpointError, 3),
    ('garbage', answer_body(b'\xff\xfe\x00garbage'), MalformedAnswer, 1),
    ('empty', answer_body(b''), EndpointError, 3),
    ('wrong json', answer_body(b'[1, 2]'), MalformedAnswer, 1),
    ('no choices', answer_body(b'{"choices": []}'), MalformedAnswer, 1),
    ('no text', answer_body(completion(None)), MalformedAnswer, 1),
    ('deep json', answer_body(b'[' * 90_000), MalformedAnswer, 1),
    ('cut by tokens', answer_body(completion(GOOD_ANSWER, 'length')), OversizedAnswer, 1),
    ('huge body', huge_body, OversizedAnswer, 1),
    ('huge claim', huge_claim, OversizedAnswer, 1),
]


@pytest.mark.parametrize(
    ('behaviour', 'error', 'tries'), [row[1:] for row in MISBEHAVIOURS],
    ids=[row[0] for row in MISBEHAVIOURS])
def test_misbehaviour_is_a_named_error_after_its_tries(
        server: Server, behaviour: Behaviour, error: type[Exception], tries: int) -> None:
    server.behaviours = [behaviour]
    with pytest.raises(error) as caught:
        ask(make_endpoint(server))
    assert type(caught.value) is error
    assert '\x1b' not in str(caught.value)
    assert len(server.requests) == tries


@pytest.mark.parametrize('behaviour', [hang, drip_headers, drip_body])
def test_slow_server_is_left_at_the_deadline(server: Server, behaviour: Behaviour) -> None:
    server.behaviours = [behaviour]
    started = time.monotonic()
    with pytest.raises(EndpointError, match='within 0.2 s'):
        ask(make_endpoint(server, timeout_s=0.2, retries=0))
    assert time.monotonic() - started < 2.0


def test_server_that_is_not_there_is_an_endpoint_error() -> None:
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        url = f'http://127.0.0.1:{free.getsockname()[1]}/v1'
        with pytest.raises(EndpointError, match='ConnectionRefused'):
            ask(ChatEndpoint(EndpointConfig(url, 'model', retries=0)))


def test_recovering_server_is_answered_after_back_off(server: Server) -> None:
    server.behaviours = [answer_status(500), answer_status(503), good]
    waits: list[float] = []
    assert ask(make_endpoint(server, waits)) == GOOD_ANSWER
    assert waits == [0.5, 1.0]


def test_wish_of_the_server_to_wait_is_kept_up_to_a_limit(server: Server) -> None:
    server.behaviours = [
        answer_status(429, Retry_After='3'), answer_status(429, Retry_After='9999'), good]
    waits: list[float] = []
    ask(make_endpoint(server, waits))
    assert waits == [3.0, 8.0]


def test_request_carries_model_limits_and_image(server: Server) -> None:
    policy = PromptedHighLevel(make_endpoint(server), HighLevelPrompt('{format}'))
    assert policy.decide(make_observation(), 'm', 'g', 's').subtask == 'pick up the bowl'
    path, _, body = server.requests[0]
    assert path == '/v1/chat/completions'
    assert (body['model'], body['temperature'], body['stream']) == ('model', 0.0, False)
    image, text = body['messages'][-1]['content']
    assert text['text'].startswith('Goal: "g"')
    jpeg = base64.b64decode(image['image_url']['url'].removeprefix('data:image/jpeg;base64,'))
    blue, green, red = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)[16, 16]
    assert red > 200
    assert max(blue, green) < 50


def test_key_comes_from_the_environment_and_stays_out_of_errors(
        server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('TEST_KEY', 'sk-hidden')
    server.behaviours = [answer_status(401)]
    with pytest.raises(EndpointError) as caught:
        ask(make_endpoint(server, key_variable='TEST_KEY'))
    assert server.requests[0][1]['Authorization'] == 'Bearer sk-hidden'
    assert 'sk-hidden' not in str(caught.value)


@pytest.mark.parametrize('fields', [
    {'base_url': 'ftp://host/v1'}, {'base_url': 'host'}, {'model': ''}, {'timeout_s': 0.0},
    {'retries': -1}, {'key_variable': 'MEM_VLA_UNSET_KEY'}])
def test_bad_endpoint_settings_are_refused(fields: dict) -> None:
    with pytest.raises(ConfigError):
        EndpointConfig(**{'base_url': 'http://host/v1', 'model': 'model', **fields})


@pytest.mark.parametrize(('behaviour', 'status'), [
    (answer_status(500), 'failed'), (answer_status(429), 'failed'), (hang, 'failed'),
    (cut_in_body, 'failed'), (answer_body(b'garbage'), 'malformed'),
    (answer_body(completion('I cannot do that.')), 'malformed'), (huge_body, 'oversized')])
def test_misbehaving_endpoint_leaves_the_memory_as_it_was(
        server: Server, behaviour: Behaviour, status: str) -> None:
    config = EndpointConfig(server.url, 'model', timeout_s=0.5, retries=0)
    policy = PromptedHighLevel(ChatEndpoint(config), HighLevelPrompt(''))
    loop = HighLevelLoop(policy, 'openai')
    loop.start(0.0, 'clean up')
    before = loop.step(make_observation(), 1.0, time.monotonic)
    server.behaviours = [behaviour]
    after = loop.step(make_observation(), 2.0, time.monotonic)
    assert before is not None
    assert after is not None
    assert (after.status, after.memory, after.subtask) == (status, before.memory, before.subtask)
