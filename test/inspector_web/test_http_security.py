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

"""Faults of the inspector towards the network: one test for each row and part of a row."""

import json
import socket
import time

import pytest
from support.served_page import read_all, TIMEOUT_S, TOKEN, wait_until

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.inspector import moment as moment_module
from mem_vla_ros.inspector import server as server_module
from mem_vla_ros.inspector.connection_guard import IDLE_TIMEOUT_S, MAX_CONNECTIONS
from mem_vla_ros.inspector.recorder import Recorder
from mem_vla_ros.inspector.request_guard import MAX_BODY_BYTES

GOAL = {'action': 'set_goal', 'text': 'water the plants'}


@pytest.mark.parametrize('path', [
    '/', '/app.js', '/style.css', '/api/moment?time=1', '/frames/1', '/nothing'])
def test_every_answer_carries_the_security_headers(served, path):
    _, headers, _ = served.request('GET', path)
    assert headers['Content-Security-Policy'].startswith("default-src 'self'")
    assert 'unsafe' not in headers['Content-Security-Policy']
    assert headers['X-Content-Type-Options'] == 'nosniff'
    assert headers['Cross-Origin-Resource-Policy'] == 'same-origin'
    assert 'Access-Control-Allow-Origin' not in headers


@pytest.mark.parametrize('path', [
    '/../server.py', '/..%2fserver.py', '/%2e%2e/server.py', '/%2e%2e%2fserver.py',
    '//etc/passwd', '/etc/passwd', '/static/app.js', '/./app.js%00', '/app.js%00.html',
    '/..\\server.py', '/frames/../app.js', '/frames/%2e%2e', '/frames/-1', '/frames/1e3',
    '/frames/99999999999999999999', '/frames/', '/index.html', '/__init__.py', '/api'])
def test_path_outside_the_table_is_not_found(served, path):
    answer = served.raw(
        f'GET {path} HTTP/1.1\r\nHost: {served.address}\r\nConnection: close\r\n\r\n'.encode())
    assert answer.split()[1] in (b'404', b'400')
    assert b'Licensed' not in answer


def test_zero_byte_in_a_path_is_refused(served):
    answer = served.raw(b'GET /\x00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    assert answer.split()[1] in (b'404', b'400')


@pytest.mark.parametrize('host', [
    'evil.example', 'evil.example:8770', 'localhost.evil.example', '127.0.0.1.evil.example',
    'localhost@evil.example', '', ':8770', '[evil]', '[', 'x' * 300])
def test_foreign_host_is_refused(served, host):
    answer = served.raw(f'GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n'.encode())
    assert answer.split()[1] in (b'403', b'400')
    assert b'<html' not in answer


@pytest.mark.parametrize('host', ['localhost', 'localhost:9000', '127.0.0.1', '[::1]:8770'])
def test_own_host_is_served_also_through_a_tunnel(served, host):
    answer = served.raw(f'GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n'.encode())
    assert answer.split()[1] == b'200'


def test_action_with_everything_right_reaches_the_robot(served):
    status, answer = served.act(GOAL)
    assert (status, json.loads(answer)) == (200, {'done': 'set_goal water the plants'})
    assert served.performed == [('set_goal', 'water the plants')]
    assert served.recorder.timeline.at('edit').data['action'] == 'set_goal'


@pytest.mark.parametrize('changes', [
    {'Token': None}, {'Token': ''}, {'Token': 'wrong'}, {'Token': TOKEN + 'x'},
    {'Token': TOKEN[:-1]}, {'Type': None}, {'Type': 'text/plain'},
    {'Type': 'application/x-www-form-urlencoded'}, {'Type': 'multipart/form-data'},
    {'Origin': None}, {'Origin': 'null'}, {'Origin': 'http://evil.example'},
    {'Origin': 'http://127.0.0.1'}, {'Origin': 'http://['}, {'Host': 'evil.example'}], ids=str)
def test_action_with_one_thing_wrong_is_refused(served, changes):
    status, _ = served.act(GOAL, **changes)
    assert status == 403
    assert served.performed == []


@pytest.mark.parametrize('token', ['', 'None', TOKEN])
def test_server_without_a_token_refuses_every_action(read_only, token):
    status, answer = read_only.act(GOAL, Token=token)
    assert status == 403
    assert 'allow_edit' in answer
    assert read_only.performed == []


@pytest.mark.parametrize('method', ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
def test_action_by_another_method_is_refused(served, method):
    status, _, _ = served.request(method, '/api/act', b'{}', {'X-Memvla-Token': TOKEN})
    assert status == 405
    assert served.performed == []


@pytest.mark.parametrize('body', [
    b'', b'{', b'[]', b'null', b'{"action": 1}', b'{"action": "explode"}', b'\xff',
    b'{"action": "set_goal", "text": ["x"]}', b'{"action": "set_goal", "text": ""}',
    b'{"action": "roll_back", "text": "999"}', b'[' * 20_000,
    json.dumps({'action': 'set_goal', 'text': 'x' * 2001}).encode()], ids=range(12))
def test_malformed_action_is_refused_in_words(served, body):
    status, answer = served.act(body)
    assert status == 400
    assert 'Traceback' not in answer
    assert served.performed == []


def test_large_body_is_refused(served):
    status, _ = served.act(b' ' * (MAX_BODY_BYTES + 1))
    assert status == 413


def test_control_characters_of_an_action_arrive_escaped(served):
    served.act({'action': 'set_goal', 'text': 'go\x1b[2J\u202e'})
    assert served.performed == [('set_goal', 'go\\x1b[2J\\u202e')]


def test_slow_request_head_is_cut_off(served):
    started = time.monotonic()
    with served.connect() as connection:
        connection.sendall(b'GET / HTTP/1.1\r\nHost: localhost\r\n')
        assert read_all(connection) == b''
    assert TIMEOUT_S * 0.5 < time.monotonic() - started < TIMEOUT_S * 5


def test_silent_connection_is_cut_off(served):
    with served.connect() as connection:
        assert read_all(connection) == b''
    wait_until(lambda: served.server._connection_guard.connections == 0)


def test_slow_second_request_is_cut_off_too(served):
    with served.connect() as connection:
        connection.sendall(b'GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HT')
        assert read_all(connection).startswith(b'HTTP/1.1 200')


def test_slow_body_is_cut_off(served):
    head = (f'POST /api/act HTTP/1.1\r\nHost: {served.address}\r\nOrigin: http://{served.address}'
            f'\r\nX-Memvla-Token: {TOKEN}\r\nContent-Type: application/json\r\n'
            'Content-Length: 1000\r\n\r\n{')
    assert served.raw(head.encode()).split()[1] in (b'408', b'400')
    assert served.performed == []


def test_reader_that_never_reads_is_cut_off(served):
    for index in range(3000):
        served.recorder.edit(10.0, 'note', 'x' * 900 + str(index))
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(('127.0.0.1', served.server.port))
        connection.sendall(b'GET /api/live HTTP/1.1\r\nHost: localhost\r\n\r\n')
        wait_until(lambda: served.server._connection_guard.connections == 1)
        wait_until(lambda: served.server._connection_guard.connections == 0)


def test_two_hundred_slow_sockets_leave_recording_and_page_alive(served):
    sockets = []

    def one_more_leaves_no_room() -> bool:
        connection = served.connect()
        connection.sendall(b'GET / HTTP/1.1\r\nHost: ')
        sockets.append(connection)
        return served.server._connection_guard.connections == MAX_CONNECTIONS

    for _ in range(200):
        one_more_leaves_no_room()
    # On a busy machine the first ones have been cut off meanwhile.
    wait_until(one_more_leaves_no_room)
    started = time.monotonic()
    served.run.advance(11.0)
    assert time.monotonic() - started < 1.0
    for connection in sockets:
        assert read_all(connection) == b''
        connection.close()
    wait_until(lambda: served.server._connection_guard.connections == 0)
    assert served.request('GET', '/')[0] == 200


def test_empty_host_does_not_open_the_page_to_everybody():
    with pytest.raises(ConfigError, match='must name an address'):
        server_module.InspectorServer(Recorder(), host='')


def test_limits_are_the_documented_ones():
    assert (IDLE_TIMEOUT_S, MAX_CONNECTIONS, MAX_BODY_BYTES) == (5.0, 32, 65536)


@pytest.mark.parametrize('data', [
    b'\x00' * 100, b'\xff\xfe\r\n\r\n', b'GET\r\n\r\n', b'GET / HTTP/9.9\r\n\r\n',
    b'A' * 20_000 + b'\r\n\r\n', b'GET / HTTP/1.1\r\n' + b'X: ' + b'y' * 9000 + b'\r\n\r\n',
    b'POST /api/act HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n',
    b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'], ids=range(8))
def test_nonsense_does_not_end_the_server(served, data):
    answer = served.raw(data)
    assert b'Traceback' not in answer
    assert served.request('GET', '/')[0] == 200


def test_failure_inside_shows_no_traceback(served, monkeypatch):
    monkeypatch.setattr(server_module, 'moment', lambda *_: moment_module.moment(None))
    status, _, body = served.request('GET', '/api/moment?time=1')
    assert status == 500
    assert b'Traceback' not in body
    assert b'moment' not in body
