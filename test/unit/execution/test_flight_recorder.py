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
"""The flight recorder: the last chunks with their verdicts, readable by any JSON reader."""

import json

import numpy as np

from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.execution.fault import Fault
from mem_vla_ros.execution.flight_recorder import FlightRecorder


def make_chunk(number, value=0.5):
    return ActionChunk(('a', 'b'), 10.0, 0.1, np.full((3, 2), value), 's', 'e', number)


def test_dump_holds_the_newest_chunks_and_why_they_were_refused(tmp_path):
    recorder = FlightRecorder(size=2)
    recorder.add(1.0, make_chunk(0), None)
    recorder.add(2.0, make_chunk(1), None)
    recorder.add(3.0, make_chunk(2), Fault('position_limit', 'too far', 'a'))
    path = recorder.dump(tmp_path / 'made', 4.0, ('rejected_chunks',))
    document = json.loads(path.read_text())
    assert document['causes'] == ['rejected_chunks']
    assert [chunk['number'] for chunk in document['chunks']] == [1, 2]
    assert [chunk['verdict'] for chunk in document['chunks']] == [
        'taken', 'position_limit [a]: too far']
    assert document['chunks'][0]['positions'] == [[0.5, 0.5]] * 3


def test_values_that_are_not_finite_are_written_as_words(tmp_path):
    recorder = FlightRecorder()
    recorder.add(1.0, make_chunk(0, np.nan), Fault('non_finite_action', 'nan'))
    recorder.add(1.0, None, Fault('malformed_chunk', 'no rows'))
    chunks = json.loads(recorder.dump(tmp_path, 2.0, ()).read_text())['chunks']
    assert chunks[0]['positions'][0] == ['nan', 'nan']
    assert chunks[1] == {'received': 1.0, 'verdict': 'malformed_chunk: no rows'}
