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

from hypothesis import given
from hypothesis import strategies as st

from mem_vla_ros.inspector.track import Track


def test_full_track_keeps_its_newest_half_complete_and_its_first_value():
    track = Track(1000)
    for index in range(20_000):
        track.append(float(index), index)
    values = list(track)
    assert len(values) <= 1000
    assert values[0] == 0
    assert values[-400:] == list(range(19_600, 20_000))
    assert values == sorted(values)


def test_track_that_does_not_thin_forgets_the_oldest():
    track = Track(10, thin=False)
    dropped = [value for index in range(11) for value in track.append(float(index), index)]
    assert dropped == [0]
    assert list(track) == list(range(1, 11))


@given(st.lists(st.floats(0.0, 100.0), min_size=1, max_size=60), st.floats(-1.0, 101.0))
def test_lookup_returns_the_newest_value_not_after_the_time(times, wanted):
    track = Track(100)
    for time in sorted(times):
        track.append(time, time)
    expected = max((time for time in times if time <= wanted), default=None)
    assert track.at(wanted) == expected
    assert track.between(wanted - 5.0, wanted) == sorted(
        time for time in times if wanted - 5.0 <= time <= wanted)


def test_time_never_steps_back_inside_a_track():
    track = Track(10)
    track.append(5.0, 'a')
    track.append(3.0, 'b')
    assert track.at(4.0) is None
    assert track.at(5.0) == 'b'
