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
The pytest plugin: collects launch tests.

A module is one if its `generate_test_description` carries the mark `launch_test`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
import unittest

from _pytest.pathlib import import_path
import pytest
from ros2_lite.packages import ensure_prefix_in_environment

from ..loader import LoadTestsFromPythonModule
from ..test_runner import LaunchTestRunner


class LaunchTestFailure(Exception):  # noqa: N818
    """Some tests of a launch test have failed."""

    def __init__(self, cases: list[tuple[unittest.TestCase, str]]) -> None:
        super().__init__('some test cases have failed')
        self.cases = cases


class LaunchTestItem(pytest.Item):
    """All test runs of one module."""

    module: ModuleType

    def runtest(self) -> None:
        arguments = [
            argument for group in self.config.getoption('--launch-args') for argument in group]
        runner = LaunchTestRunner(
            LoadTestsFromPythonModule(self.module, name=self.name), arguments,
            debug=bool(self.config.getoption('verbose')))
        runner.validate()
        results = runner.run().values()
        if not all(result.wasSuccessful() for result in results):
            raise LaunchTestFailure([
                case for result in results for case in [*result.errors, *result.failures]])

    def repr_failure(self, excinfo: pytest.ExceptionInfo, style: str | None = None) -> str:
        if not isinstance(excinfo.value, LaunchTestFailure):
            return super().repr_failure(excinfo)
        return '\n'.join(
            f"{'=' * 70}\nFAIL: {case.id()}\n{'-' * 70}\n{text}"
            for case, text in excinfo.value.cases)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f'launch tests: {self.name}'


class LaunchTestModule(pytest.File):
    """A file with a launch test."""

    module: ModuleType

    def collect(self) -> Iterator[LaunchTestItem]:
        item = LaunchTestItem.from_parent(self, name=self.module.__name__)
        item.module = self.module
        yield item


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector,
) -> LaunchTestModule | None:
    """Return a launch test module, or None to let pytest collect the file as usual."""
    if 'generate_test_description' not in module_path.read_text(encoding='utf-8'):
        return None
    module = import_path(
        module_path, mode=parent.config.getoption('importmode'), root=parent.config.rootpath,
        consider_namespace_packages=parent.config.getini('consider_namespace_packages'))
    marks = getattr(getattr(module, 'generate_test_description', None), 'pytestmark', [])
    if not any(mark.name == 'launch_test' for mark in marks):
        return None
    collector = LaunchTestModule.from_parent(parent, path=module_path)
    collector.module = module
    for mark in [*marks, *_module_marks(module)]:
        collector.add_marker(getattr(pytest.mark, mark.name).with_args(*mark.args, **mark.kwargs))
    return collector


def _module_marks(module: ModuleType) -> list[pytest.Mark]:
    marks = getattr(module, 'pytestmark', [])
    return [mark.mark for mark in (marks if isinstance(marks, list) else [marks])]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        '--launch-args', action='append', nargs='*', default=[],
        help='One or more Launch test arguments')


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        'markers',
        'launch_test: mark a generate_test_description function as a launch test entrypoint')
    ensure_prefix_in_environment()
