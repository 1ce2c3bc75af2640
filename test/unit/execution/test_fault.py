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

"""Tests of fault values."""

from mem_vla_ros.execution.fault import Fault


def test_fault_reads_as_name_source_and_detail():
    assert str(Fault('stale_image', '0.7 s old', 'base')) == 'stale_image [base]: 0.7 s old'
    assert str(Fault('late_chunk', '2 s old')) == 'late_chunk: 2 s old'
