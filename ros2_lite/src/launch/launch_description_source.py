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

"""LaunchDescriptionSource: where an included launch description comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .launch_description import LaunchDescription
from .substitution import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
    SomeSubstitutionsType,
)

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class LaunchDescriptionSource:
    """A launch description, or the place to load it from."""

    def __init__(
        self, launch_description: LaunchDescription | None = None,
        location: SomeSubstitutionsType = '<string>',
        method: str = 'unspecified mechanism from a script',
    ) -> None:
        self._launch_description = launch_description
        self._location = normalize_to_list_of_substitutions(location)
        self._expanded_location: str | None = None
        self.method = method

    @property
    def location(self) -> str:
        """The path, or what describes it as long as it is not known."""
        return self._expanded_location or describe_substitutions(self._location)

    def get_launch_description(self, context: LaunchContext) -> LaunchDescription:
        """Return the launch description, loaded once."""
        self._expanded_location = perform_substitutions(context, self._location)
        if self._launch_description is None:
            self._launch_description = self._load(self._expanded_location)
        return self._launch_description

    def try_get_launch_description_without_context(self) -> LaunchDescription | None:
        """Return the launch description if its place is known before the launch."""
        from .launch_context import LaunchContext
        try:
            return self._launch_description or self._load(
                perform_substitutions(LaunchContext(), self._location))
        except Exception:  # only a look ahead: the error comes again when it is included
            return None

    def _load(self, location: str) -> LaunchDescription:
        raise RuntimeError('LaunchDescriptionSource has no launch description')
