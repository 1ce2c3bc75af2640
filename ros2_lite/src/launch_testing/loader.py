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

"""Test runs: a launch description with the tests that belong to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
import functools
import inspect
from types import ModuleType
from typing import Any
import unittest

from launch import LaunchDescription
from launch.launch_description_entity import LaunchDescriptionEntity

from .actions import ReadyToTest


class TestRun:
    """One launch, the tests while it runs and the tests after its end."""

    __test__ = False

    def __init__(
        self, name: str, describe: Callable[..., Any], param_args: dict[str, Any],
        module: ModuleType,
    ) -> None:
        self.name = name
        self.param_args = param_args
        self.timeout = getattr(describe, '__ready_to_test_action_timeout__', 15)
        self.markers = getattr(describe, '__markers__', {})
        self._describe = describe
        self.pre_shutdown_tests = _load(module, post_shutdown=False)
        self.post_shutdown_tests = _load(module, post_shutdown=True)
        for case in self.all_cases():
            _rename(case, self._suffix)

    def __str__(self) -> str:
        return self.name + self._suffix

    @property
    def _suffix(self) -> str:
        values = ', '.join(str(value) for value in self.param_args.values())
        return f'[{values}]' if values else ''

    def all_cases(self) -> Iterator[unittest.TestCase]:
        yield from _cases(self.pre_shutdown_tests)
        yield from _cases(self.post_shutdown_tests)

    def validate(self) -> None:
        """Refuse a test description whose arguments are not those of its parameters."""
        expected = set(inspect.signature(inspect.unwrap(self._describe)).parameters)
        for name in set(self.param_args) - expected:
            raise Exception(
                'Could not find an argument in generate_test_description matching '
                f"prametrized argument '{name}'")
        for name in expected - set(self.param_args):
            raise Exception(
                f"generate_test_description has unexpected extra argument '{name}'")

    def describe(self, on_ready: Callable[[], None]) -> tuple[LaunchDescription, dict[str, Any]]:
        """Return a new launch description, which calls back when ready, and its context."""
        result = self._describe()
        description, context = result if isinstance(result, tuple) else (result, {})
        ready = next(_ready_actions(description.entities), None)
        if ready is None:
            raise Exception(
                'generate_test_description functions must return a LaunchDescription '
                'containing a ReadyToTest action')
        ready._add_callback(on_ready)
        return description, context


def LoadTestsFromPythonModule(
    module: ModuleType, *, name: str = 'launch_tests',
) -> list[TestRun]:
    """Return the test runs of a module, one for each parameter."""
    generate = module.generate_test_description
    pairs = generate() if hasattr(generate, '__parametrized__') else [(generate, {})]
    return [TestRun(name, describe, arguments, module) for describe, arguments in pairs]


def bind(tests: unittest.TestSuite, injected: dict[str, Any], attributes: Iterable[str]) -> None:
    """Give the test methods their arguments, and the test classes the named attributes."""
    classes = {type(case) for case in _cases(tests)}
    for case in _cases(tests):
        for method in (case._testMethodName, 'setUp', 'tearDown'):
            setattr(case, method, _with_arguments(getattr(case, method), injected))
    for test_class in classes:
        for name in attributes:
            setattr(test_class, name, injected[name])
        for method in ('setUpClass', 'tearDownClass'):
            setattr(
                test_class, method, _with_arguments(getattr(test_class, method), injected))


def _with_arguments(function: Callable, injected: dict[str, Any]) -> Callable:
    wanted = inspect.signature(function).parameters
    return functools.partial(
        function, **{name: value for name, value in injected.items() if name in wanted})


def _load(module: ModuleType, *, post_shutdown: bool) -> unittest.TestSuite:
    loader = unittest.TestLoader()
    suite = unittest.TestSuite()
    suite._cleanup = False  # unittest would drop the cases before their report is written
    for item in vars(module).values():
        if not (isinstance(item, type) and issubclass(item, unittest.TestCase)):
            continue
        if getattr(item, '__post_shutdown_test__', False) == post_shutdown:
            # A class of its own for each run, since setUpClass is bound to the run.
            own = type(item.__name__, (item,), {'__module__': item.__module__})
            suite.addTests(loader.loadTestsFromTestCase(own))
    return suite


def _cases(tests: Iterable) -> Iterator[unittest.TestCase]:
    for test in tests:
        if isinstance(test, unittest.TestCase):
            yield test
        else:
            yield from _cases(test)


def _rename(case: unittest.TestCase, suffix: str) -> None:
    name = case._testMethodName
    setattr(case, name + suffix, getattr(case, name))
    case._testMethodName = name + suffix


def _ready_actions(entities: Iterable[LaunchDescriptionEntity]) -> Iterator[ReadyToTest]:
    for entity in entities:
        if isinstance(entity, ReadyToTest):
            yield entity
        yield from _ready_actions(entity.describe_sub_entities())
        for _, conditional in entity.describe_conditional_sub_entities():
            yield from _ready_actions(conditional)
