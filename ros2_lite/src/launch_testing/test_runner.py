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

"""LaunchTestRunner: launches, tests, ends the launch and tests again."""

from __future__ import annotations

import threading
from typing import Any
import unittest

from launch import LaunchDescription, LaunchDescriptionSource, LaunchService
from launch.actions import IncludeLaunchDescription, RegisterEventHandler
from launch.event_handlers import OnProcessExit, OnProcessIO, OnProcessStart
from ros2_lite.launch_command import parse_launch_arguments

from .io_handler import ActiveIoHandler
from .loader import bind, TestRun
from .proc_info_handler import ActiveProcInfoHandler


class LaunchTestRunner:
    """Runs the test runs one after the other."""

    def __init__(
        self, test_runs: list[TestRun], launch_file_arguments: list[str] | None = None,
        debug: bool = False,
    ) -> None:
        self._test_runs = test_runs
        self._arguments = launch_file_arguments or []
        self._debug = debug

    def validate(self) -> None:
        for test_run in self._test_runs:
            test_run.validate()

    def run(self) -> dict[TestRun, unittest.TestResult]:
        """Return the results of each run; a launch that died early ends the series."""
        results = {}
        for test_run in self._test_runs:
            if len(self._test_runs) > 1:
                print(f'\nStarting test run {test_run}')
            try:
                results[test_run], completed = _Run(
                    test_run, self._arguments, self._debug).run()
            except unittest.SkipTest as reason:
                print(f'{test_run} is skipped: {reason}')
                results[test_run] = _skipped(test_run, str(reason))
                continue
            if not completed:
                break
        return results


def _skipped(test_run: TestRun, reason: str) -> unittest.TestResult:
    result = unittest.TestResult()
    for case in test_run.all_cases():
        result.startTest(case)
        result.addSkip(case, reason)
    return result


class _Run:
    """One launch in the main thread with its tests in another."""

    def __init__(self, test_run: TestRun, arguments: list[str], debug: bool) -> None:
        self._test_run = test_run
        self._arguments = parse_launch_arguments(arguments)
        self._service = LaunchService(debug=debug)
        self._proc_info = ActiveProcInfoHandler()
        self._proc_output = ActiveIoHandler()
        self._ready = threading.Event()
        self._launch_ended = threading.Event()
        self._result: unittest.TestResult | None = None

    def run(self) -> tuple[unittest.TestResult, bool]:
        """Return the result, and whether the launch lasted until the tests were done."""
        description, context = self._test_run.describe(self._ready.set)
        self._bind({**context, **self._test_run.param_args})
        self._service.include_launch_description(self._with_recorders(description))
        tests = threading.Thread(target=self._test, name='test_runner_thread', daemon=True)
        tests.start()
        keep_alive = self._test_run.markers.get('keep_alive', False)
        self._service.run(shutdown_when_idle=not keep_alive)
        self._launch_ended.set()
        result = self._result
        if result is None:
            return self._died(), False
        after = _run_suite(self._test_run.post_shutdown_tests)
        for kind in (
            'failures', 'errors', 'skipped', 'expectedFailures', 'unexpectedSuccesses',
        ):
            getattr(result, kind).extend(getattr(after, kind))
        result.testsRun += after.testsRun
        return result, True

    def _bind(self, context: dict[str, Any]) -> None:
        test_args = dict(self._arguments)
        active = {
            'launch_service': self._service, 'proc_info': self._proc_info,
            'proc_output': self._proc_output, 'test_args': test_args}
        bind(self._test_run.pre_shutdown_tests, {**context, **active}, active)
        ended = {
            'proc_info': self._proc_info.ended(),
            'proc_output': self._proc_output.ended(), 'test_args': test_args}
        bind(self._test_run.post_shutdown_tests, {**context, **ended}, ended)

    def _with_recorders(self, description: LaunchDescription) -> LaunchDescription:
        info, output = self._proc_info, self._proc_output
        return LaunchDescription([
            RegisterEventHandler(OnProcessStart(
                on_start=lambda event, context: info.append(event))),
            RegisterEventHandler(OnProcessStart(
                on_start=lambda event, context: output.track(event.process_name))),
            RegisterEventHandler(OnProcessExit(
                on_exit=lambda event, context: info.append(event))),
            RegisterEventHandler(OnProcessIO(on_stdout=output.append, on_stderr=output.append)),
            IncludeLaunchDescription(
                LaunchDescriptionSource(launch_description=description),
                launch_arguments=self._arguments),
        ])

    def _test(self) -> None:
        if not self._ready.wait(self._test_run.timeout):
            if not self._launch_ended.is_set():
                print('Timed out waiting for processes to start up')
                self._service.shutdown()
            return
        try:
            self._result = _run_suite(self._test_run.pre_shutdown_tests)
        finally:
            self._service.shutdown()

    def _died(self) -> unittest.TestResult:
        print('Processes under test stopped before tests completed')
        for event in self._proc_info:
            if getattr(event, 'returncode', 0) != 0:
                print(f"Process '{event.process_name}' exited with {event.returncode}")
                print(f"##### '{event.process_name}' output #####")
                for output in self._proc_output[event.process_name]:
                    print(output.text.decode(errors='replace'), end='')
                print('#' * (len(event.process_name) + 21))
        result = unittest.TestResult()
        message = 'Launch stopped before the active tests finished.'
        for case in self._test_run.all_cases():
            result.startTest(case)
            result.failures.append((case, message))
        return result


def _run_suite(suite: unittest.TestSuite) -> unittest.TestResult:
    return unittest.TextTestRunner(verbosity=2).run(suite)
