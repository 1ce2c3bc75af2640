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

"""The memory inspector between real topics and real HTTP."""

import http.client
import json
import socket

import pytest
from rclpy.parameter import Parameter
from std_msgs.msg import String
from std_srvs.srv import SetBool
from support.messages import make_image, make_joint_state
from support.node_graph import ROBOT_FILE, wait_for

from mem_vla_ros.core.states import HighLevelState, LowLevelState
from mem_vla_ros.inspector.moment import moment
from mem_vla_ros.inspector.recording import open_recording
from mem_vla_ros.ros.conversions import seconds_from_stamp
from mem_vla_ros.ros.memory_inspector import MemoryInspector
from mem_vla_ros.ros.qos import EVENT, LATCHED, SENSOR

STATE = HighLevelState(
    episode='e1', step=0, stamp=1.0, goal='tidy up', previous_subtask='', subtask='take the cup',
    previous_memory='', memory='the cup is dirty', memory_version=1, status='ok',
    source='scripted')


@pytest.fixture
def inspector(graph):
    return graph.start(MemoryInspector, port=0, terminal='off')


def shown(inspector):
    return moment(inspector._recorder)


def request(inspector, method, path, body=None, **headers):
    connection = http.client.HTTPConnection('127.0.0.1', inspector._server.port, timeout=10)
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    return response.status, response.read()


def act(inspector, action, text=''):
    address = f'127.0.0.1:{inspector._server.port}'
    body = json.dumps({'action': action, 'text': text})
    return request(
        inspector, 'POST', '/api/act', body, **{
            'Content-Type': 'application/json', 'Origin': f'http://{address}',
            'X-Memvla-Token': inspector._server._request_guard._token or ''})


def test_states_on_topics_reach_the_page(graph, inspector):
    graph.send('hl_state', String(data=STATE.to_json()), LATCHED)
    assert wait_for(lambda: shown(inspector)['memory'])
    status, body = request(inspector, 'GET', f'/api/moment?time={inspector._recorder.latest}')
    assert status == 200
    assert json.loads(body)['moment']['memory']['text'] == 'the cup is dirty'


def test_frames_are_found_again_by_the_stamps_of_the_low_level(graph, inspector):
    stamp = graph.now()
    graph.send('cameras/base/image', make_image(stamp), SENSOR)
    assert wait_for(lambda: shown(inspector)['pictures'])
    state = LowLevelState(
        session='s', episode='e', chunk=0, stamp=seconds_from_stamp(stamp), dt=0.1, rows=16,
        goal='', subtask='', frame_stamps={'base': [None, seconds_from_stamp(stamp)]})
    graph.send('ll_state', String(data=state.to_json()), EVENT)
    assert wait_for(lambda: shown(inspector)['clip'])
    slots = shown(inspector)['clip']['cameras'][0]['slots']
    assert [slot['padded'] for slot in slots] == [True, False]
    status, body = request(inspector, 'GET', f'/frames/{slots[1]["frame"]}')
    assert (status, body[:2]) == (200, b'\xff\xd8')


def test_joints_goal_gate_score_and_diagnostics_are_taken(graph, inspector):
    graph.send('joint_states', make_joint_state(graph.now()), SENSOR)
    graph.send('goal', String(data='tidy up'), LATCHED)
    graph.send('gate_state', String(data='{"level": "STOP", "reasons": ["operator_hold"]}'),
               LATCHED)
    graph.send('score', String(data='{"points": 1, "max_points": 2}'), LATCHED)
    assert wait_for(lambda: shown(inspector)['score'] and shown(inspector)['gate'])
    now = shown(inspector)
    assert (now['goal']['text'], now['gate']['level'], now['hold']) == ('tidy up', 'STOP', True)
    assert now['score']['text'] == '1 of 2 points'
    assert wait_for(lambda: len(inspector._recorder.joint_rows) == 1)
    assert wait_for(lambda: any(
        item['name'] == '/memory_inspector' for item in shown(inspector)['diagnostics']))


@pytest.mark.parametrize(('topic', 'qos', 'data'), [
    ('hl_state', LATCHED, 'nonsense'), ('hl_state', LATCHED, '[]'),
    ('ll_state', EVENT, '{"frame_stamps": 1}'), ('gate_state', LATCHED, '{}'),
    ('gate_state', LATCHED, '{"level": "OK", "reasons": 5}')])
def test_nonsense_on_a_topic_is_counted_and_the_node_lives(graph, inspector, topic, qos, data):
    graph.send(topic, String(data=data), qos)
    assert wait_for(lambda: graph.says('memory_inspector', 'exception in'))
    graph.send('goal', String(data='still here'), LATCHED)
    assert wait_for(lambda: shown(inspector)['goal'])


def test_wrong_image_is_counted_by_name(graph, inspector):
    graph.send('cameras/base/image', make_image(graph.now(), encoding='16UC1'), SENSOR)
    assert wait_for(lambda: graph.says('memory_inspector', 'wrong_encoding base'))


def test_edits_go_out_on_the_topics_and_services_of_the_robot(graph):
    held = []

    def on_hold(request, response):
        held.append(request.data)
        response.success = True
        return response

    graph.probe.create_service(SetBool, 'action_executor/hold', on_hold)
    graph.listen('goal', String, LATCHED)
    graph.listen('high_level_policy/set_memory', String, EVENT)
    inspector = graph.start(MemoryInspector, port=0, terminal='off', allow_edit=True)
    desk_memory = '/high_level_policy/set_memory'
    assert wait_for(lambda: graph.probe.count_publishers(desk_memory) == 1)
    assert wait_for(lambda: act(inspector, 'hold')[0] == 200)
    assert act(inspector, 'set_goal', 'water the plants')[0] == 200
    assert wait_for(lambda: act(inspector, 'set_memory', 'all dry')[0] == 200)
    assert wait_for(lambda: graph.received['high_level_policy/set_memory'])
    assert held == [True]
    assert graph.received['goal'][-1].data == 'water the plants'
    assert graph.received['high_level_policy/set_memory'][-1].data == 'all dry'


def test_edit_that_nobody_takes_is_refused(graph):
    inspector = graph.start(MemoryInspector, port=0, terminal='off', allow_edit=True)
    status, body = act(inspector, 'hold')
    assert (status, 'is not there' in body.decode()) == (400, True)
    assert act(inspector, 'set_memory', 'x')[0] == 400
    assert inspector._recorder.timeline.of('edit') == []


def test_page_without_allow_edit_refuses_edits(inspector):
    assert act(inspector, 'hold')[0] == 403


def test_every_start_makes_a_recording_that_opens(graph, tmp_path):
    inspector = graph.start(MemoryInspector, port=0, terminal='off', record_to=str(tmp_path))
    graph.send('hl_state', String(data=STATE.to_json()), LATCHED)
    assert wait_for(lambda: shown(inspector)['memory'])
    inspector.stop()
    folder, = tmp_path.iterdir()
    assert moment(open_recording(folder))['memory']['text'] == 'the cup is dirty'


def test_taken_ports_leave_the_node_alive_and_warned(graph):
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        port = taken.getsockname()[1]
        inspector = graph.start(
            MemoryInspector, host='203.0.113.7', port=port, terminal='off')
    assert inspector._server is None
    assert wait_for(lambda: graph.says('memory_inspector', 'could not open a port'))
    graph.send('goal', String(data='still here'), LATCHED)
    assert wait_for(lambda: shown(inspector)['goal'])


def test_lines_are_printed_as_they_change(graph, capsys):
    graph.start(MemoryInspector, web=False, terminal='lines')
    graph.send('hl_state', String(data=STATE.to_json()), LATCHED)
    printed = []
    assert wait_for(lambda: printed.append(capsys.readouterr().out)
                    or 'the cup is dirty' in ''.join(printed))


@pytest.mark.parametrize(('name', 'value'), [
    ('terminal', 'loud'), ('port', -1), ('port', 65536), ('image_size', 15), ('image_size', 641)])
def test_bad_parameter_refuses_to_configure(graph, name, value):
    node = MemoryInspector(parameter_overrides=[
        Parameter('robot_file', value=ROBOT_FILE), Parameter('web', value=False),
        Parameter(name, value=value)])
    graph._add(node)
    node.autostart()
    assert wait_for(lambda: graph.says('memory_inspector', f"Parameter '{name}'"))
