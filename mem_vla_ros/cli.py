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

"""
The command ``memvla``: one sub-command per file of ``mem_vla_ros/commands/``.

Each of those files has ``add_parser(subparsers)``, which sets ``run`` as the parser's default,
and ``run(args) -> int``. What a command needs is imported when it runs.
"""

import argparse
from importlib import import_module
import pkgutil
import sys

from mem_vla_ros import commands
from mem_vla_ros.core.errors import MemVlaError


def main(argv: list[str] | None = None) -> int:
    """Parse the command line, run the sub-command, and return its exit code."""
    parser = argparse.ArgumentParser(
        prog='memvla', description='Robot policies with memory on ROS 2.')
    subparsers = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    for module in sorted(pkgutil.iter_modules(commands.__path__), key=lambda item: item.name):
        import_module(f'{commands.__name__}.{module.name}').add_parser(subparsers)
    args = parser.parse_args(argv)
    try:
        return args.run(args)
    except MemVlaError as error:
        print(f'memvla {args.command}: {error}', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == '__main__':
    sys.exit(main())
