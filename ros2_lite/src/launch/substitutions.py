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

"""The substitutions which launch files use."""

from __future__ import annotations

import importlib
import math
import os
import shutil
from typing import Any, TYPE_CHECKING

import yaml

from .substitution import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
    SomeSubstitutionsType,
    Substitution,
    SubstitutionFailure,
    TextSubstitution,
)
from .unsupported import missing_attribute

if TYPE_CHECKING:
    from .launch_context import LaunchContext

__getattr__ = missing_attribute(__name__)
__all__ = [
    'AllSubstitution', 'AndSubstitution', 'AnySubstitution', 'EnvironmentVariable',
    'EqualsSubstitution', 'FindExecutable', 'IfElseSubstitution', 'LaunchConfiguration',
    'NotEqualsSubstitution', 'NotSubstitution', 'OrSubstitution', 'PathJoinSubstitution',
    'PythonExpression', 'SubstitutionFailure', 'TextSubstitution', 'ThisLaunchFile',
    'ThisLaunchFileDir',
]


def _perform_bool(context: LaunchContext, parts: list[Substitution]) -> bool:
    text = perform_substitutions(context, parts)
    value = yaml.safe_load(text)
    if isinstance(value, bool):
        return value
    if value in (0, 1):
        return bool(value)
    raise SubstitutionFailure(f"Cannot convert input '{text}' to a boolean")


def _lower(value: bool) -> str:
    return str(value).lower()


class LaunchConfiguration(Substitution):
    """The value of a launch argument or configuration."""

    def __init__(self, variable_name: SomeSubstitutionsType, *, default: Any = None) -> None:
        self.variable_name = normalize_to_list_of_substitutions(variable_name)
        self._default: list[Substitution] | None = None
        if default is not None:
            items = default if isinstance(default, (list, tuple)) else [default]
            self._default = normalize_to_list_of_substitutions(
                [item if isinstance(item, Substitution) else str(item) for item in items])

    def describe(self) -> str:
        return f'LaunchConfig({describe_substitutions(self.variable_name)})'

    def perform(self, context: LaunchContext) -> str:
        name = perform_substitutions(context, self.variable_name)
        if name in context.launch_configurations:
            return context.launch_configurations[name]
        if self._default is None:
            raise SubstitutionFailure(f"launch configuration '{name}' does not exist")
        return perform_substitutions(context, self._default)


class EnvironmentVariable(Substitution):
    """The value of an environment variable."""

    def __init__(
        self, name: SomeSubstitutionsType, *,
        default_value: SomeSubstitutionsType | None = None,
    ) -> None:
        self.name = normalize_to_list_of_substitutions(name)
        self.default_value = (
            None if default_value is None else normalize_to_list_of_substitutions(default_value))

    def describe(self) -> str:
        return f'EnvVar({describe_substitutions(self.name)})'

    def perform(self, context: LaunchContext) -> str:
        name = perform_substitutions(context, self.name)
        if name in context.environment:
            return context.environment[name]
        if self.default_value is None:
            raise SubstitutionFailure(f"environment variable '{name}' does not exist")
        return perform_substitutions(context, self.default_value)


class PathJoinSubstitution(Substitution):
    """Parts joined to a path."""

    def __init__(self, substitutions: SomeSubstitutionsType) -> None:
        self.substitutions = normalize_to_list_of_substitutions(substitutions)

    def describe(self) -> str:
        return f"PathJoin('{describe_substitutions(self.substitutions)}')"

    def perform(self, context: LaunchContext) -> str:
        return os.path.join(*(part.perform(context) for part in self.substitutions))


class PythonExpression(Substitution):
    """
    The value of a Python expression, as text.

    It is evaluated by `eval` with the named modules, as the real one does: never build the
    expression from text that you do not trust.
    """

    def __init__(
        self, expression: SomeSubstitutionsType,
        python_modules: SomeSubstitutionsType = ('math',),
    ) -> None:
        self.expression = normalize_to_list_of_substitutions(expression)
        self.python_modules = normalize_to_list_of_substitutions(python_modules)

    def describe(self) -> str:
        modules = ', '.join(module.describe() for module in self.python_modules)
        return f'PythonExpr({describe_substitutions(self.expression)}, [{modules}])'

    def perform(self, context: LaunchContext) -> str:
        names: dict[str, Any] = {}
        for module in self.python_modules:
            name = context.perform_substitution(module)
            names[name] = importlib.import_module(name)
        if 'math' in names:
            names = {**vars(math), **names}
        return str(eval(perform_substitutions(context, self.expression), {}, names))


class ThisLaunchFile(Substitution):
    """The path of the launch file which is being visited."""

    def perform(self, context: LaunchContext) -> str:
        path = context.get_locals_as_dict().get('current_launch_file_path')
        if path is None:
            raise SubstitutionFailure('ThisLaunchFile used outside of a launch file')
        return path


class ThisLaunchFileDir(Substitution):
    """The directory of the launch file which is being visited."""

    def perform(self, context: LaunchContext) -> str:
        directory = context.get_locals_as_dict().get('current_launch_file_directory')
        if directory is None:
            raise SubstitutionFailure(
                'ThisLaunchFileDir used outside of a launch file (in a script)')
        return directory


class FindExecutable(Substitution):
    """The path of an executable on the PATH."""

    def __init__(self, *, name: SomeSubstitutionsType) -> None:
        self.name = normalize_to_list_of_substitutions(name)

    def describe(self) -> str:
        return f'FindExec({describe_substitutions(self.name)})'

    def perform(self, context: LaunchContext) -> str:
        name = perform_substitutions(context, self.name)
        path = shutil.which(name)
        if path is None:
            raise SubstitutionFailure(f"executable '{name}' not found on the PATH")
        return path


class _Operands(Substitution):
    """Base of substitutions with operands."""

    def __init__(self, *operands: SomeSubstitutionsType) -> None:
        self._operands = [normalize_to_list_of_substitutions(operand) for operand in operands]

    def describe(self) -> str:
        operands = ', '.join(describe_substitutions(operand) for operand in self._operands)
        return f'{type(self).__name__}({operands})'


class NotSubstitution(_Operands):
    """'true' if the value is false."""

    def __init__(self, value: SomeSubstitutionsType) -> None:
        super().__init__(value)

    def perform(self, context: LaunchContext) -> str:
        return _lower(not _perform_bool(context, self._operands[0]))


class AllSubstitution(_Operands):
    """'true' if all values are true."""

    def perform(self, context: LaunchContext) -> str:
        return _lower(all(_perform_bool(context, operand) for operand in self._operands))


class AnySubstitution(_Operands):
    """'true' if one of the values is true."""

    def perform(self, context: LaunchContext) -> str:
        return _lower(any(_perform_bool(context, operand) for operand in self._operands))


class AndSubstitution(AllSubstitution):
    """'true' if both values are true."""

    def __init__(self, left: SomeSubstitutionsType, right: SomeSubstitutionsType) -> None:
        super().__init__(left, right)


class OrSubstitution(AnySubstitution):
    """'true' if one of both values is true."""

    def __init__(self, left: SomeSubstitutionsType, right: SomeSubstitutionsType) -> None:
        super().__init__(left, right)


class EqualsSubstitution(_Operands):
    """'true' if both sides are equal, as booleans, as numbers or as text."""

    def __init__(self, left: Any, right: Any) -> None:
        super().__init__(self._text(left), self._text(right))

    @staticmethod
    def _text(side: Any) -> SomeSubstitutionsType:
        if isinstance(side, (Substitution, str, list, tuple)):
            return side
        if side is None:
            return ''
        return _lower(side) if isinstance(side, bool) else str(side)

    def _equal(self, context: LaunchContext) -> bool:
        left, right = (perform_substitutions(context, operand) for operand in self._operands)
        truths = {'true': True, '1': True, 'false': False, '0': False}
        if left.lower() in truths and right.lower() in truths:
            return truths[left.lower()] == truths[right.lower()]
        try:
            return math.isclose(float(left), float(right))
        except ValueError:
            return left == right

    def perform(self, context: LaunchContext) -> str:
        return _lower(self._equal(context))


class NotEqualsSubstitution(EqualsSubstitution):
    """'true' if both sides differ."""

    def perform(self, context: LaunchContext) -> str:
        return _lower(not self._equal(context))


class IfElseSubstitution(_Operands):
    """One value if the condition is true, the other if not."""

    def __init__(
        self, condition: SomeSubstitutionsType, if_value: SomeSubstitutionsType = '',
        else_value: SomeSubstitutionsType = '',
    ) -> None:
        if if_value == else_value == '':
            raise RuntimeError('One of if_value and else_value must be specified')
        super().__init__(condition, if_value, else_value)

    def perform(self, context: LaunchContext) -> str:
        condition, if_value, else_value = self._operands
        return perform_substitutions(
            context, if_value if _perform_bool(context, condition) else else_value)
