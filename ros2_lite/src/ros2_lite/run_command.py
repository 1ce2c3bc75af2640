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

"""`ros2 run`: Run a package specific executable."""

import argparse
import contextlib
import shlex
import signal
import subprocess

from .packages import executables


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('--prefix', help='Prefix command, which should go before the executable.')
    parser.add_argument('package_name', help='Name of the ROS package')
    parser.add_argument('executable_name', help='Name of the executable')
    parser.add_argument(
        'argv', nargs=argparse.REMAINDER, help='Pass arbitrary arguments to the executable')


def run(args: argparse.Namespace) -> int | str:
    """Run the executable and return its exit code."""
    paths = {path.name: path for path in executables(args.package_name)}
    if args.executable_name not in paths:
        return 'No executable found'
    cmd = [*shlex.split(args.prefix or ''), str(paths[args.executable_name]), *args.argv]
    process = subprocess.Popen(cmd)
    while process.returncode is None:
        # The executable gets the same signal, and its end is waited for.
        with contextlib.suppress(KeyboardInterrupt):
            process.wait()
    if process.returncode < 0:
        print('[ros2run]:', signal.strsignal(-process.returncode))
    elif process.returncode > 0:
        print('[ros2run]:', f'Process exited with failure {process.returncode}')
    return process.returncode
