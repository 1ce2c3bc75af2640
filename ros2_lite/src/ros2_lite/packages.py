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

"""ROS packages of a pip environment: its prefix, and the executables of a package."""

from importlib.metadata import distribution, PackageNotFoundError
import os
from pathlib import Path
import sys

from ament_index_python.packages import get_package_prefix


def ensure_prefix_in_environment() -> None:
    """Put this environment into AMENT_PREFIX_PATH and its commands into PATH."""
    for variable, directory in (('AMENT_PREFIX_PATH', sys.prefix), ('PATH', _scripts())):
        parts = [part for part in os.environ.get(variable, '').split(os.pathsep) if part]
        if str(directory) not in parts:
            os.environ[variable] = os.pathsep.join([str(directory), *parts])


def executables(package: str) -> list[Path]:
    """
    Return the paths of a package's executables.

    They lie in `lib/<package>` (the ament layout), and those which pip has installed beside the
    interpreter belong to the package if its distribution declares them as console scripts.

    :raises ament_index_python.packages.PackageNotFoundError: if there is no such package.
    """
    libexec = Path(get_package_prefix(package)) / 'lib' / package
    found = {path.name: path for path in sorted(libexec.glob('*')) if _is_executable(path)}
    for name in _console_scripts(package):
        path = _scripts() / name
        if _is_executable(path):
            found.setdefault(name, path)
    return list(found.values())


def _scripts() -> Path:
    return Path(sys.prefix) / 'bin'


def _is_executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _console_scripts(package: str) -> list[str]:
    try:
        entry_points = distribution(package).entry_points
    except PackageNotFoundError:
        return []
    return sorted(point.name for point in entry_points if point.group == 'console_scripts')
