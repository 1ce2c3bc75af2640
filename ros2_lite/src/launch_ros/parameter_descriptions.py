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

"""Descriptions of parameters: a typed value, a parameter, a file."""

from __future__ import annotations

import os
from pathlib import Path
import re
import tempfile
from typing import Any, get_args, get_origin

from launch.launch_context import LaunchContext
from launch.substitution import (
    resolve,
    SomeSubstitutionsType,
    Substitution,
    SubstitutionFailure,
)
from launch.substitutions import EnvironmentVariable, LaunchConfiguration, ThisLaunchFileDir
from launch.unsupported import missing_attribute
import yaml

from .substitutions import FindPackagePrefix, FindPackageShare

__getattr__ = missing_attribute(__name__)

SCALAR_TYPES = (bool, int, float, str)
_FILE_SUBSTITUTIONS = {
    'var': lambda name, default=None: LaunchConfiguration(name, default=default),
    'env': lambda name, default=None: EnvironmentVariable(name, default_value=default),
    'find-pkg-share': FindPackageShare,
    'find-pkg-prefix': FindPackagePrefix,
    'dirname': ThisLaunchFileDir,
}


def is_uniform_list(value: Any) -> bool:
    """Return whether this is a non-empty list of one scalar type."""
    return (
        isinstance(value, (list, tuple)) and len(value) > 0
        and type(value[0]) in SCALAR_TYPES
        and all(type(item) is type(value[0]) for item in value))


def coerce(text: str, value_type: Any) -> Any:
    """Return the text as a value of the type; None means by the rules of YAML."""
    if value_type in (str, int, float):
        return value_type(text)
    if value_type is bool:
        text = {'0': 'false', '1': 'true'}.get(text, text)
    value = yaml.safe_load(text) if text else ''
    if value_type is None:
        fits = type(value) in SCALAR_TYPES or is_uniform_list(value)
    elif get_origin(value_type) is list:
        fits = isinstance(value, list) and all(
            type(item) in get_args(value_type) for item in value)
    else:
        fits = type(value) is value_type
    if not fits:
        raise ValueError(f"Cannot convert '{text}' to '{value_type or 'a scalar or list'}'")
    return value


class ParameterValue:
    """A value, or a substitution that is converted to a type."""

    def __init__(self, value: Any, *, value_type: Any = None) -> None:
        self.value = value
        self.value_type = value_type

    def evaluate(self, context: LaunchContext) -> Any:
        parts = self.value if isinstance(self.value, (list, tuple)) else [self.value]
        if isinstance(self.value, str) or any(isinstance(part, Substitution) for part in parts):
            return coerce(resolve(context, self.value), self.value_type)
        return self.value


class Parameter:
    """A parameter of one name, for the `parameters` of a node."""

    def __init__(
        self, name: SomeSubstitutionsType, value: Any, *, value_type: Any = None,
    ) -> None:
        self.name = name
        self._value = ParameterValue(value, value_type=value_type)

    def evaluate(self, context: LaunchContext) -> tuple[str, Any]:
        return resolve(context, self.name), self._value.evaluate(context)


class ParameterFile:
    """A YAML file with parameters, in which `$(var name)` may be substituted."""

    def __init__(
        self, param_file: SomeSubstitutionsType | os.PathLike, *, allow_substs: bool = False,
    ) -> None:
        self.param_file = param_file
        self.allow_substs = allow_substs

    def evaluate(self, context: LaunchContext) -> Path:
        path = Path(
            self.param_file if isinstance(self.param_file, os.PathLike)
            else resolve(context, self.param_file))
        if not self.allow_substs:
            return path
        text = substitute_in_text(context, path.read_text(encoding='utf-8'))
        return write_parameter_file(yaml.safe_load(text))


def substitute_in_text(context: LaunchContext, text: str) -> str:
    """Replace each `$(name arguments)` in the text; nesting is not supported."""
    def replace(match: re.Match) -> str:
        name, *arguments = match.group(1).split()
        if name not in _FILE_SUBSTITUTIONS:
            raise SubstitutionFailure(
                f"'$({name} ...)' in a parameter file is not supported by ros2_lite. "
                f'Allowed: {sorted(_FILE_SUBSTITUTIONS)}')
        return _FILE_SUBSTITUTIONS[name](*arguments).perform(context)

    return re.sub(r'\$\(([^()]+)\)', replace, text)


def write_parameter_file(content: dict) -> Path:
    """Write a parameter file for a node that is about to start."""
    with tempfile.NamedTemporaryFile(
        mode='w', prefix='launch_params_', delete=False, encoding='utf-8',
    ) as file:
        yaml.safe_dump(content, file, default_flow_style=False)
    return Path(file.name)
