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

"""The part of ROS 2 launch that mem_vla_ros uses; see the README of ros2_lite."""

from . import (
    actions,
    conditions,
    event_handlers,
    events,
    launch_description_sources,
    logging,
    substitutions,
)
from .action import Action
from .condition import Condition
from .event import Event
from .event_handler import EventHandler
from .launch_context import LaunchContext
from .launch_description import LaunchDescription
from .launch_description_entity import LaunchDescriptionEntity, SomeEntitiesType
from .launch_description_source import LaunchDescriptionSource
from .launch_service import LaunchService
from .substitution import (
    SomeSubstitutionsType,
    SomeSubstitutionsType_types_tuple,
    Substitution,
)
from .unsupported import missing_attribute

__all__ = [
    'Action', 'Condition', 'Event', 'EventHandler', 'LaunchContext', 'LaunchDescription',
    'LaunchDescriptionEntity', 'LaunchDescriptionSource', 'LaunchService', 'SomeEntitiesType',
    'SomeSubstitutionsType', 'SomeSubstitutionsType_types_tuple', 'Substitution', 'actions',
    'conditions', 'event_handlers', 'events', 'launch_description_sources', 'logging',
    'substitutions',
]
__getattr__ = missing_attribute(__name__)
