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

"""
Parameters, each declared once: type, default, unit, range, description.

A node lists its :class:`ParameterSpec` values; they are declared from the list, checked when the
node configures, and written into docs/parameters.md from the same list.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node

from mem_vla_ros.core.errors import ConfigError


@dataclass(frozen=True)
class ParameterSpec:
    """
    One parameter of a node.

    :param description: What it does, with its unit and what happens at the edges.
    :param minimum: Smallest value allowed, for numbers.
    :param maximum: Largest value allowed, for numbers.
    :param choices: Values allowed, for text.
    """

    name: str
    default: Any
    description: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()

    def allowed(self) -> str:
        """Return what is allowed, in words."""
        if self.choices:
            return 'one of ' + ', '.join(repr(choice) for choice in self.choices)
        if self.minimum is not None:
            return f'{self.minimum} to {self.maximum}'
        return f'any {type(self.default).__name__}'

    def descriptor(self) -> ParameterDescriptor:
        """Return the ROS description; values are fixed from start to end."""
        descriptor = ParameterDescriptor(
            description=self.description, read_only=True, additional_constraints=self.allowed())
        if self.minimum is not None and isinstance(self.default, int):
            descriptor.integer_range = [
                IntegerRange(from_value=int(self.minimum), to_value=int(self.maximum))]
        elif self.minimum is not None:
            descriptor.floating_point_range = [
                FloatingPointRange(from_value=float(self.minimum), to_value=float(self.maximum))]
        return descriptor


class NodeParameters:
    """
    The parameters of one node.

    A bad value does not stop the node from starting: it is kept as an error and refused when the
    node configures, so that the node lives to tell what is wrong.
    """

    def __init__(self, node: Node, specs: Iterable[ParameterSpec]) -> None:
        self._values = SimpleNamespace()
        self._errors: list[str] = []
        for spec in specs:
            try:
                value = node.declare_parameter(spec.name, spec.default, spec.descriptor()).value
            except (InvalidParameterTypeException, InvalidParameterValueException) as error:
                self._errors.append(f'Parameter {spec.name!r} must be {spec.allowed()}. {error}')
                continue
            if spec.choices and value not in spec.choices:
                self._errors.append(
                    f'Parameter {spec.name!r} must be {spec.allowed()}. Got {value!r}.')
                continue
            setattr(self._values, spec.name, value)

    def checked(self) -> SimpleNamespace:
        """
        Return the values by name.

        :raises ConfigError: naming every parameter that was refused.
        """
        if self._errors:
            raise ConfigError(' '.join(self._errors))
        return self._values
