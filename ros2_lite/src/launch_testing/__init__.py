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

"""The part of ROS 2 launch_testing that mem_vla_ros uses; see the README of ros2_lite."""

from launch.unsupported import missing_attribute

from . import actions, asserts, event_handlers, markers, util
from .decorators import parametrize, post_shutdown_test, ready_to_test_action_timeout
from .io_handler import ActiveIoHandler, IoHandler
from .proc_info_handler import ActiveProcInfoHandler, ProcInfoHandler

__all__ = [
    'ActiveIoHandler', 'ActiveProcInfoHandler', 'IoHandler', 'ProcInfoHandler', 'actions',
    'asserts', 'event_handlers', 'markers', 'parametrize', 'post_shutdown_test',
    'ready_to_test_action_timeout', 'util',
]
__getattr__ = missing_attribute(__name__)
