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

"""StdoutReadyListener: waits for a process to say that it is ready."""

from launch.actions import ExecuteProcess
from launch.event_handlers import OnProcessIO
from launch.events.process import ProcessIO
from launch.launch_description_entity import (
    LaunchDescriptionEntity,
    list_of_entities,
    SomeEntitiesType,
)
from launch.unsupported import missing_attribute

__all__ = ['StdoutReadyListener']
__getattr__ = missing_attribute(__name__)


class StdoutReadyListener(OnProcessIO):
    """Yields its actions when the process writes the text to its standard output."""

    def __init__(
        self, *, target_action: ExecuteProcess | None = None, ready_txt: str,
        actions: SomeEntitiesType,
    ) -> None:
        self._actions = list_of_entities(actions)

        def on_stdout(event: ProcessIO) -> SomeEntitiesType | None:
            return self._actions if ready_txt in event.text.decode(errors='replace') else None

        super().__init__(target_action=target_action, on_stdout=on_stdout)

    @property
    def entities(self) -> list[LaunchDescriptionEntity]:
        return self._actions
