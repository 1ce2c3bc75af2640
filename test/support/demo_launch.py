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

"""demo.launch.py as a launch test wants it."""

from pathlib import Path

from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

LAUNCH = Path(__file__).parents[2] / 'launch'


def include_demo(**arguments):
    """Return the demo, small and going on after the task is done."""
    arguments = {'image_size': '64', 'exit_when_done': 'false'} | arguments
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(LAUNCH / 'demo.launch.py')),
        launch_arguments=arguments.items())
