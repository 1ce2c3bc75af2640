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

"""The command `ros2`."""

import argparse
import signal
import sys

from . import (
    launch_command,
    lifecycle_command,
    node_command,
    pkg_command,
    run_command,
    service_command,
    topic_command,
)
from .packages import ensure_prefix_in_environment

COMMANDS = {
    'launch': launch_command, 'run': run_command, 'pkg': pkg_command, 'topic': topic_command,
    'node': node_command, 'service': service_command, 'lifecycle': lifecycle_command,
}


def main() -> int | str | None:
    """Run a command of `ros2`; a returned text is printed and means failure."""
    parser = argparse.ArgumentParser(
        prog='ros2', description='ros2 is a command-line tool for ROS 2 (here: ros2_lite).')
    commands = parser.add_subparsers(dest='command', metavar='<command>')
    for name, module in COMMANDS.items():
        summary = module.__doc__.split(': ', 1)[1]
        module.add_arguments(commands.add_parser(name, help=summary, description=summary))
    args = parser.parse_args()
    if args.command is None:
        parser.print_help()
        return 0
    sys.stdout.reconfigure(line_buffering=True)
    ensure_prefix_in_environment()
    try:
        return COMMANDS[args.command].run(args)
    except KeyboardInterrupt:
        return signal.SIGINT
    except (RuntimeError, LookupError) as error:
        return str(error)
