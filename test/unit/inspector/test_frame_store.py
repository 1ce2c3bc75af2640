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

from mem_vla_ros.inspector.frame_store import FrameStore

JPEG = b'\xff\xd8' + bytes(998)


def test_clip_holds_exactly_the_frames_with_the_stamps_that_were_seen():
    store = FrameStore(1_000_000)
    for index in range(10):
        store.add('base', index * 0.1, JPEG + bytes([index]))
    kept = store.see(1.0, 0.9, {'base': [None, 0.4, 0.9, 0.95]})
    clip = store.clip_at(1.0)
    frames = clip.frames['base']
    assert [frame.stamp if frame else None for frame in frames] == [None, 0.4, 0.9, None]
    assert store.jpeg(frames[1].number).endswith(bytes([4]))
    assert kept == [frames[1], frames[2]]


def test_only_one_clip_a_second_is_kept_but_the_newest_is_always_shown():
    store = FrameStore(1_000_000)
    for index in range(30):
        store.add('base', index * 0.1, JPEG)
        store.see(index * 0.1, index * 0.1, {'base': [index * 0.1]})
    assert store.clip_at(0.55).time == 0.0
    assert store.clip_at(3.0).time == 2.9000000000000004


def test_a_newest_clip_whose_frames_were_not_recorded_is_not_shown():
    store = FrameStore(1_000_000)
    store.add('base', 1.0, JPEG)
    store.add('base', 2.0, JPEG)
    store.see(2.0, 2.0, {'base': [1.0, 2.0]})
    store.see(2.4, 2.4, {'base': [1.4, 2.4]})
    assert store.clip_at(3.0).time == 2.0
    store.add('base', 1.8, JPEG)
    store.add('base', 2.8, JPEG)
    store.see(2.8, 2.8, {'base': [1.8, 2.8]})
    assert store.clip_at(3.0).time == 2.8


def test_hours_of_clips_stay_within_the_budget_and_reach_back_to_the_start():
    store = FrameStore(100_000)
    for index in range(7200):
        stamp = float(index)
        store.add('base', stamp, JPEG)
        store.see(stamp, stamp, {'base': [stamp - 1.0, stamp] if index else [None, stamp]})
    assert store.stored_bytes < 200_000
    early = store.clip_at(10.0)
    assert early is not None
    assert store.jpeg(early.frames['base'][-1].number) == JPEG


def test_released_frames_can_not_be_read_any_more():
    store = FrameStore(3000)
    numbers = []
    for index in range(200):
        stamp = float(index)
        store.add('base', stamp, JPEG)
        store.see(stamp, stamp, {'base': [stamp]})
        numbers.append(store.clip_at(stamp).frames['base'][0].number)
    stored = [number for number in numbers if store.jpeg(number) is not None]
    assert 3 <= len(stored) < 20
    assert numbers[0] in stored


def test_second_picture_of_the_same_stamp_is_dropped():
    store = FrameStore(10_000)
    store.add('base', 1.0, JPEG)
    store.add('base', 1.0, JPEG)
    assert store.stored_bytes == len(JPEG)
