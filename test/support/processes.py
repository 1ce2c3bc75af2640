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

"""Processes of the graph under test, found by executable and ROS domain."""

import os
from pathlib import Path


def pids_of(executable):
    """Return the processes of this ROS domain that run an executable of the package."""
    return [pid for pid in _all_pids() if _runs(pid, executable)]


def _all_pids():
    return [int(path.name) for path in Path('/proc').iterdir() if path.name.isdigit()]


def _runs(pid, executable):
    try:
        arguments = Path(f'/proc/{pid}/cmdline').read_bytes().split(b'\0')
        environment = Path(f'/proc/{pid}/environ').read_bytes().split(b'\0')
    except OSError:
        return False
    domain = f'ROS_DOMAIN_ID={os.environ["ROS_DOMAIN_ID"]}'.encode()
    names = [Path(argument.decode(errors='replace')).name for argument in arguments[:3]]
    return executable in names and domain in environment
