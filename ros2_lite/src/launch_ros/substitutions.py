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

"""Substitutions which find packages and their executables."""

from ament_index_python.packages import get_package_prefix, get_package_share_directory
from launch.launch_context import LaunchContext
from launch.substitution import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
    SomeSubstitutionsType,
    Substitution,
    SubstitutionFailure,
)
from launch.unsupported import missing_attribute
from ros2_lite.packages import executables

__all__ = ['ExecutableInPackage', 'FindPackagePrefix', 'FindPackageShare']
__getattr__ = missing_attribute(__name__)


class _FindPackage(Substitution):
    """Base of what is found by the name of a package."""

    def __init__(self, package: SomeSubstitutionsType) -> None:
        self.package = normalize_to_list_of_substitutions(package)

    def describe(self) -> str:
        return f'{type(self).__name__}(pkg={describe_substitutions(self.package)})'


class FindPackagePrefix(_FindPackage):
    """The prefix under which a package is installed."""

    def perform(self, context: LaunchContext) -> str:
        return get_package_prefix(perform_substitutions(context, self.package))


class FindPackageShare(_FindPackage):
    """The share directory of a package."""

    def perform(self, context: LaunchContext) -> str:
        return get_package_share_directory(perform_substitutions(context, self.package))


class ExecutableInPackage(_FindPackage):
    """The path of an executable of a package."""

    def __init__(
        self, executable: SomeSubstitutionsType, package: SomeSubstitutionsType,
    ) -> None:
        super().__init__(package)
        self.executable = normalize_to_list_of_substitutions(executable)

    def describe(self) -> str:
        return (
            f'ExecInPkg(pkg={describe_substitutions(self.package)}, '
            f'exec={describe_substitutions(self.executable)})')

    def perform(self, context: LaunchContext) -> str:
        package = perform_substitutions(context, self.package)
        name = perform_substitutions(context, self.executable)
        paths = {path.name: path for path in executables(package)}
        if name not in paths:
            raise SubstitutionFailure(
                f"executable '{name}' not found in package '{package}'. "
                f'Got {sorted(paths)}. Looked in lib/{package} below '
                f"'{get_package_prefix(package)}' and in its console scripts.")
        return str(paths[name])
