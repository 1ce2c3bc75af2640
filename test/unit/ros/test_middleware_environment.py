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

"""Tests of the Fast DDS environment and of the removal of dead shared memory."""

import fcntl
import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from mem_vla_ros.ros.middleware import fastdds_environment, remove_dead_segments

PROFILE = '/somewhere/config/fastdds.xml'
NAME = 'fastrtps_0123456789abcdef'
CREATED = 1000.0
LATER = CREATED + 60.0


@pytest.fixture
def segment(tmp_path):
    """Return a segment of 4096 bytes whose lock file nobody holds."""
    path = tmp_path / NAME
    path.write_bytes(bytes(4096))
    lock_of(path).touch()
    set_age(lock_of(path))
    return path


def lock_of(segment):
    return segment.with_name(segment.name + '_el')


def set_age(path):
    os.utime(path, (CREATED, CREATED))


def test_profile_is_set_in_a_bare_environment():
    assert fastdds_environment({}, PROFILE) == {'FASTRTPS_DEFAULT_PROFILES_FILE': PROFILE}


@pytest.mark.parametrize('name', [
    'FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE',
    'FASTDDS_BUILTIN_TRANSPORTS'])
def test_choice_of_the_user_is_kept(name):
    assert fastdds_environment({name: 'mine'}, PROFILE) == {}


def test_empty_variable_counts_as_not_set():
    environ = {'FASTRTPS_DEFAULT_PROFILES_FILE': '', 'RMW_IMPLEMENTATION': ''}
    assert fastdds_environment(environ, PROFILE)


@pytest.mark.parametrize('rmw', ['rmw_cyclonedds_cpp', 'rmw_zenoh_cpp', 'rmw_connextdds'])
def test_other_middleware_gets_no_profile(rmw):
    assert fastdds_environment({'RMW_IMPLEMENTATION': rmw}, PROFILE) == {}


@pytest.mark.parametrize('rmw', ['rmw_fastrtps_cpp', 'rmw_fastrtps_dynamic_cpp'])
def test_both_fast_dds_middlewares_get_the_profile(rmw):
    assert fastdds_environment({'RMW_IMPLEMENTATION': rmw}, PROFILE)


def test_importing_the_module_does_not_import_rclpy():
    code = 'import mem_vla_ros.ros.middleware, sys; sys.exit("rclpy" in sys.modules)'
    assert subprocess.run([sys.executable, '-c', code], check=False).returncode == 0


def test_segment_of_a_dead_process_is_removed(segment):
    assert remove_dead_segments(LATER, segment.parent) == 4096
    assert list(segment.parent.iterdir()) == []


def test_segment_of_a_living_process_is_kept(segment):
    with lock_of(segment).open('rb') as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert remove_dead_segments(LATER, segment.parent) == 0
    assert segment.exists()
    assert lock_of(segment).exists()


def test_segment_just_being_made_is_kept(segment):
    assert remove_dead_segments(CREATED + 1.0, segment.parent) == 0
    assert segment.exists()


def test_lock_file_without_its_segment_is_removed(segment):
    segment.unlink()
    assert remove_dead_segments(LATER, segment.parent) == 0
    assert not lock_of(segment).exists()


@pytest.mark.parametrize('name', ['fastrtps_port7411', 'sem.fastrtps_port7411_mutex', 'other'])
def test_ports_and_foreign_files_are_left_alone(tmp_path, name):
    for path in (tmp_path / name, tmp_path / f'{name}_el'):
        path.write_bytes(b'x')
        set_age(path)
    remove_dead_segments(LATER, tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_missing_directory_frees_nothing(tmp_path):
    assert remove_dead_segments(LATER, tmp_path / 'absent') == 0


def test_profile_holds_many_frames_of_four_cameras(pytestconfig):
    tree = ElementTree.parse(pytestconfig.rootpath / 'config' / 'fastdds.xml')
    size = next(node for node in tree.iter() if node.tag.endswith('}segment_size'))
    assert int(size.text) >= 6 * 4 * 448 * 448 * 3
