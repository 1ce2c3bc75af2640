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

"""`ros2 launch`: Run a launch file."""

import argparse
import os
from pathlib import Path
import sys

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_context import LaunchContext
from launch.launch_description_sources import AnyLaunchDescriptionSource
from launch.substitution import describe_substitutions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        '-n', '--noninteractive', default=not sys.stdin.isatty(), action='store_true',
        help='Run the launch system non-interactively, with no terminal associated')
    parser.add_argument(
        '-d', '--debug', action='store_true',
        help='Put the launch system in debug mode, provides more verbose output.')
    parser.add_argument(
        '-s', '--show-args', '--show-arguments', action='store_true',
        help='Show arguments that may be given to the launch file.')
    parser.add_argument(
        '-a', '--show-all-subprocesses-output', action='store_true',
        help="Show all launched subprocesses' output by overriding their output configuration "
             'using the OVERRIDE_LAUNCH_PROCESS_OUTPUT envvar.')
    parser.add_argument(
        '--launch-prefix', help='Prefix command, which should go before all executables.')
    parser.add_argument(
        'package_name', help='Name of the ROS package which contains the launch file')
    parser.add_argument('launch_file_name', nargs='?', help='Name of the launch file')
    parser.add_argument(
        'launch_arguments', nargs='*',
        help="Arguments to the launch file; '<name>:=<value>' (for duplicates, last one wins)")


def run(args: argparse.Namespace) -> int | str:
    """Launch the file, or show its arguments."""
    arguments = args.launch_arguments
    if os.path.isfile(args.package_name):
        path = args.package_name
        arguments = [args.launch_file_name, *arguments] if args.launch_file_name else arguments
    elif args.launch_file_name is None:
        return f"'{args.package_name}' is not a launch file, and no launch file name is given"
    else:
        path = find_launch_file(args.package_name, args.launch_file_name)
    if args.show_all_subprocesses_output:
        os.environ['OVERRIDE_LAUNCH_PROCESS_OUTPUT'] = 'both'
    if args.launch_prefix:
        arguments = [*arguments, f'launch-prefix:={args.launch_prefix}']
    source = AnyLaunchDescriptionSource(path)
    if args.show_args:
        show_arguments(source.get_launch_description(LaunchContext()))
        return 0
    service = LaunchService(
        argv=arguments, noninteractive=args.noninteractive, debug=args.debug)
    service.include_launch_description(LaunchDescription([
        IncludeLaunchDescription(source, launch_arguments=parse_launch_arguments(arguments))]))
    return service.run()


def find_launch_file(package: str, name: str) -> str:
    """Return the only file of this name in the share directory of the package."""
    share = get_package_share_directory(package)
    paths = [str(path) for path in Path(share).rglob(name)]
    if not paths:
        raise RuntimeError(
            f"file '{name}' was not found in the share directory of package '{package}' which "
            f"is at '{share}'")
    if len(paths) > 1:
        raise RuntimeError(
            f"file '{name}' was found more than once in the share directory of package "
            f"'{package}': {paths}")
    return paths[0]


def parse_launch_arguments(arguments: list[str]) -> list[tuple[str, str]]:
    """Return name and value of each '<name>:=<value>'; of duplicates the last one wins."""
    parsed = {}
    for argument in arguments:
        name, separator, value = argument.partition(':=')
        if not (name and separator and value):
            raise RuntimeError(
                f"malformed launch argument '{argument}', expected format '<name>:=<value>'")
        parsed[name] = value
    return list(parsed.items())


def show_arguments(description: LaunchDescription) -> None:
    """Print the arguments of a launch description."""
    print("Arguments (pass arguments as '<name>:=<value>'):")
    arguments = description.get_launch_arguments()
    for argument in arguments:
        star = '*' if argument._conditionally_included else ''
        print(f"\n    '{argument.name}':{star}\n        {argument.description}")
        if argument.default_value is not None:
            print(f'        (default: {describe_substitutions(argument.default_value)})')
    if not arguments:
        print('\n  No arguments.')
    elif any(argument._conditionally_included for argument in arguments):
        print('\n* argument(s) which are only used if specific conditions occur')
