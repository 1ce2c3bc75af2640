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

"""Robot file: joints with limits, home position, cameras and command output."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.limits import JointLimits
from mem_vla_ros.core.types import FloatArray

COMMAND_TYPES = ('joint_trajectory', 'forward')
IMAGE_TRANSPORTS = ('raw', 'compressed')


@dataclass(frozen=True)
class CameraSource:
    """Where the images of one camera come from."""

    name: str
    topic: str
    transport: str


@dataclass(frozen=True)
class Robot:
    """One robot, as its file in ``config/robots/`` describes it."""

    name: str
    limits: JointLimits
    home: FloatArray
    cameras: tuple[CameraSource, ...]
    joint_states_topic: str
    command_type: str
    command_topic: str

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Return the joint names in the order that every array here uses."""
        return self.limits.names

    @property
    def camera_names(self) -> tuple[str, ...]:
        """Return the camera names in file order."""
        return tuple(camera.name for camera in self.cameras)


def load_robot(path: str | Path) -> Robot:
    """
    Read a robot file.

    :raises ConfigError: if the file is missing or anything in it is not as documented in
        docs/architecture.md.
    """
    path = Path(path)
    try:
        document = yaml.safe_load(path.read_text(encoding='utf-8'))
    except OSError as error:
        raise ConfigError(
            f'Robot file {str(path)!r} cannot be read: {error.strerror}. '
            'Examples are in config/robots/.') from error
    except yaml.YAMLError as error:
        raise ConfigError(f'Robot file {str(path)!r} is not YAML: {error}') from error
    try:
        return _parse_robot(document)
    except ConfigError as error:
        raise ConfigError(f'Robot file {str(path)!r}: {error}') from error


def _parse_robot(document: Any) -> Robot:
    _require_keys('robot file', document, {'name', 'joints', 'home', 'cameras', 'command'},
                  {'joint_states_topic'})
    joints = document['joints']
    if not isinstance(joints, list) or not joints:
        raise ConfigError(f"'joints' must be a list with at least one joint. Got {joints!r}.")
    for joint in joints:
        _require_keys('joint', joint, {'name', 'lower', 'upper', 'velocity'}, set())
    limits = JointLimits(
        names=tuple(str(joint['name']) for joint in joints),
        lower=_numbers('lower', [joint['lower'] for joint in joints]),
        upper=_numbers('upper', [joint['upper'] for joint in joints]),
        velocity=_numbers('velocity', [joint['velocity'] for joint in joints]))
    home = _numbers('home', document['home'])
    if home.shape != limits.lower.shape or np.any(home != limits.clip(home)):
        raise ConfigError(
            f"'home' needs {len(limits.names)} positions inside the limits. Got {home.tolist()}.")
    command = document['command']
    _require_keys('command', command, {'type', 'topic'}, set())
    _require_choice('command type', command['type'], COMMAND_TYPES)
    return Robot(
        name=str(document['name']), limits=limits, home=home,
        cameras=_parse_cameras(document['cameras']),
        joint_states_topic=str(document.get('joint_states_topic', 'joint_states')),
        command_type=command['type'], command_topic=str(command['topic']))


def _parse_cameras(cameras: Any) -> tuple[CameraSource, ...]:
    if not isinstance(cameras, dict) or not 1 <= len(cameras) <= 4:
        raise ConfigError(f"'cameras' must name one to four cameras. Got {cameras!r}.")
    sources = []
    for name, camera in cameras.items():
        _require_keys(f'camera {name!r}', camera, {'topic'}, {'transport'})
        transport = camera.get('transport', 'raw')
        _require_choice(f'transport of camera {name!r}', transport, IMAGE_TRANSPORTS)
        sources.append(CameraSource(str(name), str(camera['topic']), transport))
    return tuple(sources)


def _require_keys(what: str, mapping: Any, required: set[str], optional: set[str]) -> None:
    if not isinstance(mapping, dict):
        raise ConfigError(f'{what} must be a mapping. Got {mapping!r}.')
    missing = sorted(required - mapping.keys())
    unknown = sorted(mapping.keys() - required - optional)
    if missing or unknown:
        raise ConfigError(
            f'{what}: missing keys {missing}, unknown keys {unknown}. '
            f'Allowed: {sorted(required | optional)}.')


def _require_choice(what: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ConfigError(f'{what} must be one of {list(choices)}. Got {value!r}.')


def _numbers(what: str, values: Any) -> FloatArray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ConfigError(f'{what!r} must be numbers. Got {values!r}.') from error
