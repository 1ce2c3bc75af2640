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

"""Evaluation of the parameter dictionaries of a node."""

from collections.abc import Mapping
from typing import Any

from launch.launch_context import LaunchContext
from launch.substitution import resolve, Substitution

from .parameter_descriptions import coerce, is_uniform_list, ParameterValue


def evaluate_parameter_dict(
    context: LaunchContext, parameters: Mapping, prefix: str = '',
) -> dict[str, Any]:
    """Return names and values, with nested dictionaries as dotted names."""
    evaluated: dict[str, Any] = {}
    for key, value in parameters.items():
        name = prefix + resolve(context, key)
        if isinstance(value, Mapping):
            evaluated.update(evaluate_parameter_dict(context, value, f'{name}.'))
        else:
            evaluated[name] = _evaluate(context, name, value)
    return evaluated


def _evaluate(context: LaunchContext, name: str, value: Any) -> Any:
    try:
        if isinstance(value, ParameterValue):
            return value.evaluate(context)
        if isinstance(value, Substitution):
            return coerce(resolve(context, value), None)
        if isinstance(value, (list, tuple)):
            return _evaluate_list(context, value)
        if isinstance(value, (bool, int, float, str)):
            return value
    except ValueError as error:
        raise TypeError(
            f"Parameter '{name}': {error}. If it is meant to be a string, wrap it in "
            'launch_ros.parameter_descriptions.ParameterValue(value, value_type=str)') from error
    raise TypeError(f"Unexpected type for parameter '{name}': {value!r}")


def _evaluate_list(context: LaunchContext, value: list | tuple) -> Any:
    """
    Evaluate a list.

    As in launch_ros, text and substitutions together are one text; a list of texts from
    substitutions is written as a list of lists.
    """
    if any(isinstance(item, Substitution) for item in value):
        return coerce(resolve(context, value), None)
    if {type(item) for item in value} == {int, float}:
        return [float(item) for item in value]
    items = [
        coerce(resolve(context, item), None) if isinstance(item, (list, tuple)) else item
        for item in value]
    if not is_uniform_list(items):
        raise ValueError(
            f'Expected a non-empty sequence, with items of uniform type, got {items}')
    return items
