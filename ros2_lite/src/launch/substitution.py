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

"""Substitutions: text which is known only when the launch runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class Substitution:
    """Text that is looked up or computed when it is performed."""

    def describe(self) -> str:
        """Return a readable form, used by `--show-args`."""
        return f'{type(self).__name__}()'

    def perform(self, context: LaunchContext) -> str:
        """Return the text in this context."""
        raise TypeError(f'{type(self).__name__} does not define perform()')


class TextSubstitution(Substitution):
    """Fixed text."""

    def __init__(self, *, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"TextSubstitution expected 'text' of type str, got {text!r}")
        self.text = text

    def describe(self) -> str:
        return f"'{self.text}'"

    def perform(self, context: LaunchContext) -> str:
        return self.text


class SubstitutionFailure(RuntimeError):  # noqa: N818
    """A substitution could not be performed."""


SomeSubstitutionsType = str | Substitution | Iterable[str | Substitution]
SomeSubstitutionsType_types_tuple = (str, Substitution, Iterable)


def normalize_to_list_of_substitutions(subject: SomeSubstitutionsType) -> list[Substitution]:
    """Return text, a substitution or an iterable of them as a list of substitutions."""
    items = [subject] if isinstance(subject, (str, Substitution)) else list(subject)
    for item in items:
        if not isinstance(item, (str, Substitution)):
            raise TypeError(
                f"Failed to normalize given item of type '{type(item)}', when only 'str' or "
                "'launch.Substitution' were expected.")
    return [TextSubstitution(text=item) if isinstance(item, str) else item for item in items]


def perform_substitutions(context: LaunchContext, parts: Iterable[Substitution]) -> str:
    """Return the joined text of the substitutions."""
    return ''.join(context.perform_substitution(part) for part in parts)


def describe_substitutions(parts: Iterable[Substitution]) -> str:
    """Return the readable form of several substitutions."""
    return ' + '.join(part.describe() for part in parts)


def resolve(context: LaunchContext, subject: SomeSubstitutionsType) -> str:
    """Normalize and perform in one step."""
    return perform_substitutions(context, normalize_to_list_of_substitutions(subject))
