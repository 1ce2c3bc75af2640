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

"""Robot files: the shipped ones load, and each mistake has its message."""

from pathlib import Path

import pytest
import yaml

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.robot import load_robot

ROBOTS = Path(__file__).parents[3] / 'config' / 'robots'


@pytest.fixture
def document():
    return yaml.safe_load((ROBOTS / 'sim_arm.yaml').read_text())


def load(tmp_path, document):
    path = tmp_path / 'robot.yaml'
    path.write_text(yaml.safe_dump(document))
    return load_robot(path)


@pytest.mark.parametrize('path', sorted(ROBOTS.glob('*.yaml')), ids=lambda path: path.stem)
def test_shipped_robot_files_load(path):
    robot = load_robot(path)
    assert robot.name == path.stem
    assert len(robot.joint_names) == len(robot.home)
    assert 1 <= len(robot.camera_names) <= 4


def test_missing_file_is_named():
    with pytest.raises(ConfigError, match='nowhere.yaml.*No such file'):
        load_robot('nowhere.yaml')


def test_file_that_is_not_yaml_is_named(tmp_path):
    (tmp_path / 'robot.yaml').write_text('joints: [')
    with pytest.raises(ConfigError, match='is not YAML'):
        load_robot(tmp_path / 'robot.yaml')


@pytest.mark.parametrize('change, message', [
    (lambda d: d.pop('joints'), r"missing keys \['joints'\]"),
    (lambda d: d.update(colour='red'), r"unknown keys \['colour'\]"),
    (lambda d: d.update(joints=[]), 'at least one joint'),
    (lambda d: d['joints'][0].update(lower=3.0), "'joint_1': lower 3.0 must be below upper 2.8"),
    (lambda d: d['joints'][0].update(velocity=0.0), 'velocity must be above 0'),
    (lambda d: d['joints'][0].update(lower='low'), "'lower' must be numbers"),
    (lambda d: d['joints'][0].update(upper=float('nan')), 'finite values'),
    (lambda d: d['joints'][1].update(name='joint_1'), 'must be unique'),
    (lambda d: d['home'].pop(), "'home' needs 7 positions"),
    (lambda d: d['home'].__setitem__(0, 9.0), 'inside the limits'),
    (lambda d: d.update(cameras={}), 'one to four cameras'),
    (lambda d: d['cameras']['base'].update(transport='carrier pigeon'), "Got 'carrier pigeon'"),
    (lambda d: d['command'].update(type='torque'), "Got 'torque'"),
])
def test_each_mistake_is_refused_with_its_message(tmp_path, document, change, message):
    change(document)
    with pytest.raises(ConfigError, match=message):
        load(tmp_path, document)


def test_document_that_is_a_list_is_refused(tmp_path):
    with pytest.raises(ConfigError, match='must be a mapping'):
        load(tmp_path, ['joints'])
