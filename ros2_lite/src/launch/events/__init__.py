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

"""Events of the launch system."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..event import Event
from ..unsupported import missing_attribute
from . import process

if TYPE_CHECKING:
    from ..action import Action
    from ..launch_description import LaunchDescription

__all__ = ['IncludeLaunchDescription', 'Shutdown', 'matches_action', 'process']
__getattr__ = missing_attribute(__name__)


class IncludeLaunchDescription(Event):
    """A launch description is to be visited."""

    name = 'launch.events.IncludeLaunchDescription'

    def __init__(self, launch_description: LaunchDescription) -> None:
        self.launch_description = launch_description


class Shutdown(Event):
    """The launch is to end."""

    name = 'launch.events.Shutdown'

    def __init__(
        self, *, reason: str = 'reason not given', due_to_sigint: bool = False,
    ) -> None:
        self.reason = reason
        self.due_to_sigint = due_to_sigint


def matches_action(target_action: Action) -> Callable[[Action], bool]:
    """Return a matcher of exactly this action."""
    return lambda action: action is target_action
