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

import json
import re
import socket
import statistics
import time

import pytest
from support.served_page import Served

from mem_vla_ros.inspector.recorder import Recorder
from mem_vla_ros.inspector.server import InspectorServer, PORTS_TRIED, ServerNotStarted


def read_event(stream, name: str) -> dict:
    """Return the data of the next event of a name."""
    while True:
        line = stream.readline().decode().strip()
        if line == f'event: {name}':
            return json.loads(stream.readline().decode().removeprefix('data: '))


def open_stream(served: Served):
    connection = served.connect()
    connection.sendall(b'GET /api/live HTTP/1.0\r\nHost: localhost\r\n\r\n')
    return connection.makefile('rb')


def test_page_names_only_files_that_are_served(served):
    status, headers, body = served.request('GET', '/')
    assert status == 200
    assert headers['Content-Type'] == 'text/html; charset=utf-8'
    for path in re.findall(r'(?:src|href)="([^"#]+)"', body.decode()):
        assert served.request('GET', f'/{path}')[0] == 200


def test_scripts_import_only_files_that_are_served(served):
    seen, wanted = set(), {'app.js'}
    while wanted - seen:
        path = (wanted - seen).pop()
        seen.add(path)
        status, headers, body = served.request('GET', f'/{path}')
        assert (status, headers['Content-Type']) == (200, 'text/javascript; charset=utf-8')
        wanted |= set(re.findall(r"from '\./([^']+)'", body.decode()))
    assert len(seen) > 8


def test_page_never_parses_text_as_markup_and_asks_no_other_host(served):
    for path, (body, _) in served.server._static.items():
        text = body.decode()
        for word in ('innerHTML', 'outerHTML', 'insertAdjacentHTML', 'document.write', 'eval(',
                     'new Function', 'DOMParser', 'https://', ' onclick=', ' style="'):
            assert word not in text, f'{path} contains {word}'


def test_live_stream_begins_with_the_whole_timeline(served):
    with open_stream(served) as stream:
        assert read_event(stream, 'about') == {'live': True, 'editable': True}
        marks = read_event(stream, 'marks')
        moment = read_event(stream, 'moment')['moment']
    assert [mark['number'] for mark in marks] == list(range(len(marks)))
    assert moment['subtask']['text'] == 'put the milk into the fridge'


def test_news_arrive_within_200_ms(served):
    delays = []
    with open_stream(served) as stream:
        read_event(stream, 'moment')
        for index in range(9):
            started = time.monotonic()
            served.recorder.goal(10.0 + index, f'goal {index}')
            while read_event(stream, 'moment')['moment']['goal']['text'] != f'goal {index}':
                pass
            delays.append(time.monotonic() - started)
    assert statistics.median(delays) < 0.2


def test_silent_robot_still_gets_heartbeats(served):
    with open_stream(served) as stream:
        first = read_event(stream, 'moment')['moment']
        assert read_event(stream, 'moment')['moment'] == first


def test_moment_of_the_past_has_its_own_frames(detailed):
    then = detailed.get('/api/moment?time=7.5')
    slots = then['moment']['clip']['cameras'][0]['slots']
    assert then['moment']['clip']['time'] <= 7.5
    status, headers, body = detailed.request('GET', f'/frames/{slots[-1]["frame"]}')
    assert (status, headers['Content-Type']) == (200, 'image/jpeg')
    assert 'immutable' in headers['Cache-Control']
    assert body.startswith(b'\xff\xd8')


@pytest.mark.parametrize('query', ['', '?time=', '?time=nan', '?time=inf', '?time=soon'])
def test_moment_without_a_number_is_refused(served, query):
    assert served.request('GET', f'/api/moment{query}')[0] == 400


def test_versions_end_at_the_asked_time(served):
    assert served.get('/api/versions?time=1') == []
    assert [version['text'] for version in served.get('/api/versions?time=99')] == [
        'I opened the fridge.']


def test_taken_port_leads_to_the_next_one(served):
    server = InspectorServer(Recorder(), port=served.server.port)
    server.start()
    try:
        assert served.server.port < server.port < served.server.port + PORTS_TRIED
    finally:
        server.stop()


def test_no_free_port_is_said_clearly():
    server = InspectorServer(Recorder(), host='203.0.113.7', port=8770)
    with pytest.raises(ServerNotStarted, match='203.0.113.7: tried 8770 to 8779'):
        server.start()


def test_stop_frees_the_port_and_ends_streams(served):
    with open_stream(served) as stream:
        read_event(stream, 'about')
        served.server.stop()
        stream.read()
    with socket.socket() as probe:
        assert probe.connect_ex(('127.0.0.1', served.server.port)) != 0
