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

"""The command `launch_test`."""

import argparse
import importlib.util
import os

from ros2_lite.launch_command import show_arguments
from ros2_lite.packages import ensure_prefix_in_environment

from .junitxml import write_junit_xml
from .loader import LoadTestsFromPythonModule
from .test_runner import LaunchTestRunner


def main() -> int:
    """Run a launch test and return 0 if all its tests pass."""
    parser = argparse.ArgumentParser(
        prog='launch_test', description='Launch integration testing tool.')
    parser.add_argument('launch_test_file', help='Path to the launch test.')
    parser.add_argument('--package-name', help='Name of the package the test is in.')
    parser.add_argument('-v', '--verbose', action='store_true', help='Run with verbose output')
    parser.add_argument(
        '-s', '--show-args', '--show-arguments', action='store_true',
        help='Show arguments that may be given to the launch test.')
    parser.add_argument(
        'launch_arguments', nargs='*',
        help="Arguments in '<name>:=<value>' format (for duplicates, last one wins).")
    parser.add_argument(
        '--junit-xml', dest='xmlpath', help='Do write xUnit reports to specified path.')
    args = parser.parse_args()
    if not os.path.isfile(args.launch_test_file):
        parser.error(f"Test file '{args.launch_test_file}' does not exist")
    ensure_prefix_in_environment()
    try:
        return _run(args)
    except Exception as error:
        parser.error(str(error))


def _run(args: argparse.Namespace) -> int:
    path = os.path.abspath(args.launch_test_file)
    base = os.path.splitext(os.path.basename(path))[0]
    package = args.package_name or base
    spec = importlib.util.spec_from_file_location(package, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    test_runs = LoadTestsFromPythonModule(module, name=f'{package}.{base}.launch_tests')
    runner = LaunchTestRunner(test_runs, args.launch_arguments, args.verbose)
    runner.validate()
    if args.show_args:
        show_arguments(test_runs[0].describe(lambda: None)[0])
        return 0
    results = runner.run()
    if args.xmlpath:
        write_junit_xml(args.xmlpath, f'{package}.{base}', results)
    return 0 if all(result.wasSuccessful() for result in results.values()) else 1
