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

"""`ros2 pkg`: Show packages, their prefixes and their executables."""

import argparse

from ament_index_python.packages import get_package_prefix, get_packages_with_prefixes

from .packages import executables


def add_arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest='verb', required=True)
    verbs.add_parser('list', help='Output a list of available packages')
    verbs.add_parser(
        'prefix', help='Output the prefix path of a package').add_argument('package_name')
    verbs.add_parser(
        'executables', help='Output a list of package specific executables',
    ).add_argument('package_name')


def run(args: argparse.Namespace) -> None:
    """Print what is asked for."""
    if args.verb == 'list':
        print('\n'.join(sorted(get_packages_with_prefixes())))
    elif args.verb == 'prefix':
        print(get_package_prefix(args.package_name))
    else:
        for path in executables(args.package_name):
            print(args.package_name, path.name)
