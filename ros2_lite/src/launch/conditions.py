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

"""Conditions on substitutions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .condition import Condition
from .substitution import (
    normalize_to_list_of_substitutions,
    perform_substitutions,
    resolve,
    SomeSubstitutionsType,
    Substitution,
)
from .unsupported import missing_attribute

if TYPE_CHECKING:
    from .launch_context import LaunchContext

__getattr__ = missing_attribute(__name__)


class InvalidConditionExpressionError(Exception):
    """The text of a condition is neither true nor false."""


def evaluate_condition_expression(
    context: LaunchContext, expression: list[Substitution],
) -> bool:
    """Return the truth of 'true', '1', 'false' or '0', in any case."""
    text = perform_substitutions(context, expression).strip().lower()
    if text in ('true', '1'):
        return True
    if text in ('false', '0'):
        return False
    raise InvalidConditionExpressionError(
        f"invalid condition expression, expected one of ['true', '1', 'false', '0'], "
        f"but got '{text}'")


class IfCondition(Condition):
    """True if the expression is true."""

    def __init__(self, predicate_expression: SomeSubstitutionsType) -> None:
        self._expression = normalize_to_list_of_substitutions(predicate_expression)
        super().__init__(
            predicate=lambda context: evaluate_condition_expression(context, self._expression))


class UnlessCondition(Condition):
    """True if the expression is false."""

    def __init__(self, predicate_expression: SomeSubstitutionsType) -> None:
        self._expression = normalize_to_list_of_substitutions(predicate_expression)
        super().__init__(
            predicate=lambda context: not evaluate_condition_expression(
                context, self._expression))


class LaunchConfigurationEquals(Condition):
    """True if the launch configuration has the value; None means that it is not set."""

    def __init__(
        self, launch_configuration_name: str, expected_value: SomeSubstitutionsType | None,
    ) -> None:
        def predicate(context: LaunchContext) -> bool:
            expected = None if expected_value is None else resolve(context, expected_value)
            return context.launch_configurations.get(launch_configuration_name) == expected

        super().__init__(predicate=predicate)


class LaunchConfigurationNotEquals(Condition):
    """True if the launch configuration does not have the value."""

    def __init__(
        self, launch_configuration_name: str, expected_value: SomeSubstitutionsType | None,
    ) -> None:
        equals = LaunchConfigurationEquals(launch_configuration_name, expected_value)
        super().__init__(predicate=lambda context: not equals.evaluate(context))
