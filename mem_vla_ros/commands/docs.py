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

"""``memvla docs``: write the generated pages of docs/."""

import argparse
from pathlib import Path
import runpy


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser('docs', help='write the generated pages of docs/')
    parser.add_argument('--folder', type=Path, default=Path('docs'), help='where docs/ is')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write docs/parameters.md, and docs/faults.md where the tests are."""
    from mem_vla_ros.ros.parameter_docs import parameter_page
    path = args.folder / 'parameters.md'
    path.write_text(parameter_page(), encoding='utf-8')
    print(path)
    fault_rows = args.folder.parent / 'test' / 'faults' / 'rows.py'
    if fault_rows.is_file():
        runpy.run_path(str(fault_rows), run_name='__main__')
    return 0
