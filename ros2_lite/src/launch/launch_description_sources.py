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

"""Python launch files as sources of launch descriptions."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

from .launch_description import LaunchDescription
from .launch_description_source import LaunchDescriptionSource
from .substitution import SomeSubstitutionsType
from .unsupported import missing_attribute

__getattr__ = missing_attribute(__name__)


class InvalidPythonLaunchFileError(Exception):
    """A launch file lacks what makes it one."""


def get_launch_description_from_python_launch_file(path: str) -> LaunchDescription:
    """Load a launch file and return what its `generate_launch_description()` returns."""
    loader = SourceFileLoader('python_launch_file', path)
    spec = spec_from_loader(loader.name, loader)
    module = module_from_spec(spec)
    loader.exec_module(module)
    generate = getattr(module, 'generate_launch_description', None)
    if generate is None:
        raise InvalidPythonLaunchFileError(
            f"launch file at '{path}' does not contain the required function "
            "'generate_launch_description()'")
    return generate()


class PythonLaunchDescriptionSource(LaunchDescriptionSource):
    """A Python launch file."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(
            None, launch_file_path, method='interpreted python launch file')

    def _load(self, location: str) -> LaunchDescription:
        return get_launch_description_from_python_launch_file(location)


class AnyLaunchDescriptionSource(PythonLaunchDescriptionSource):
    """A launch file of any kind; here only Python files are supported."""

    def _load(self, location: str) -> LaunchDescription:
        if not location.endswith('.py'):
            raise RuntimeError(
                f"launch file '{location}': XML and YAML launch files are not supported by "
                'ros2_lite')
        return super()._load(location)
