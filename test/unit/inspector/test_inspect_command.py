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

import dataclasses
from pathlib import Path
import sys

import numpy as np
import pytest

from mem_vla_ros.cli import main
from mem_vla_ros.core.states import HighLevelState, LowLevelState
from mem_vla_ros.evaluation import bag_messages
from mem_vla_ros.evaluation.bag_writer import BagWriter
from mem_vla_ros.inspector.demo_run import DemoRun
from mem_vla_ros.inspector.recorder import Recorder
from mem_vla_ros.inspector.recording import EVENTS_FILE, RecordingWriter

ROBOT = Path(__file__).parents[3] / 'config' / 'robots' / 'sim_arm.yaml'
STATE = HighLevelState(
    episode='e1', step=0, stamp=1.0, goal='tidy up', previous_subtask='', subtask='take the cup',
    previous_memory='', memory='', memory_version=0, status='ok', source='scripted')


@pytest.fixture
def recording(tmp_path) -> Path:
    writer = RecordingWriter(tmp_path / 'run')
    DemoRun(Recorder(writer), is_detailed=False).advance(20.0)
    writer.close()
    return tmp_path / 'run'


@pytest.fixture
def bag(tmp_path) -> Path:
    states = [STATE, dataclasses.replace(STATE, memory='the cup is in the sink', subtask='wipe')]
    low = LowLevelState(
        session='s', episode='e1', chunk=0, stamp=10.0, dt=0.1, rows=2, goal='tidy up',
        subtask='wipe', frame_stamps={'base': [None, 10.0]})
    strings = [('/hl_state', states[0].to_json()), ('/hl_state', states[1].to_json()),
               ('/hl_state', 'broken'), ('/ll_state', low.to_json())]
    with BagWriter(tmp_path / 'bag') as writer:
        for topic in ('/hl_state', '/ll_state'):
            writer.add_topic(topic, bag_messages.STRING)
        writer.add_topic('/cameras/base/image', bag_messages.IMAGE)
        image = np.zeros((8, 8, 3), np.uint8)
        writer.write('/cameras/base/image', 10_000_000_000,
                     bag_messages.encode_image(image, 10.0, 'base'))
        for index, (topic, text) in enumerate(strings):
            writer.write(topic, 10_100_000_000 + index, bag_messages.encode_string(text))
    return tmp_path / 'bag'


def test_lines_of_a_recording_are_printed(recording, capsys):
    assert main(['inspect', str(recording), '--lines']) == 0
    output = capsys.readouterr().out
    assert 'put the milk into the fridge' in output
    assert 'I opened the fridge.' in output


def test_file_inside_a_recording_opens_it_too(recording, capsys):
    assert main(['inspect', str(recording / EVENTS_FILE), '--lines']) == 0
    assert 'I opened the fridge.' in capsys.readouterr().out


def test_bag_is_told_like_a_recording(bag, capsys):
    assert main(['inspect', str(bag), '--robot', str(ROBOT), '--lines']) == 0
    output = capsys.readouterr().out
    assert 'the cup is in the sink' in output
    assert 'HighLevelState is not JSON' in output


def test_bag_without_a_robot_file_is_refused_in_words(bag, capsys):
    assert main(['inspect', str(bag), '--lines']) == 2
    assert '--robot' in capsys.readouterr().err


def test_missing_file_is_refused_in_words(tmp_path, capsys):
    assert main(['inspect', str(tmp_path / 'nothing')]) == 2
    assert 'does not exist' in capsys.readouterr().err


def test_export_without_rerun_says_what_to_install(recording, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, 'rerun', None)
    assert main(['inspect', str(recording), '--rerun', str(tmp_path / 'run.rrd')]) == 2
    assert 'pip install rerun-sdk' in capsys.readouterr().err


def test_export_writes_a_file_where_rerun_is_installed(recording, tmp_path):
    pytest.importorskip('rerun', reason='the optional package rerun-sdk is not installed')
    assert main(['inspect', str(recording), '--rerun', str(tmp_path / 'run.rrd')]) == 0
    assert (tmp_path / 'run.rrd').stat().st_size > 1000
