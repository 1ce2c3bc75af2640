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

"""Assertions about the exit codes and the output of processes."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
import re
from typing import Any

from launch.unsupported import missing_attribute

from .util import NO_CMD_ARGS, resolveProcesses

__all__ = [
    'EXIT_OK', 'EXIT_SIGINT', 'EXIT_SIGKILL', 'EXIT_SIGQUIT', 'EXIT_SIGSEGV', 'NO_CMD_ARGS',
    'SequentialTextChecker', 'assertExitCodes', 'assertInStderr', 'assertInStdout',
    'assertInStream', 'assertSequentialStdout',
]
__getattr__ = missing_attribute(__name__)

EXIT_OK = 0
EXIT_SIGINT = 130
EXIT_SIGQUIT = 131
EXIT_SIGKILL = 137
EXIT_SIGSEGV = 139
_ANSI_ESCAPE = re.compile(r'\x1B\[[0-?]*[ -/]*[@-~]')


def assertExitCodes(
    proc_info: Any, allowable_exit_codes: Iterable[int] = (EXIT_OK,), process: Any = None,
    cmd_args: Any = None, *, strict_proc_matching: bool = True,
) -> None:
    """Assert that the processes, by default all, ended with one of the codes."""
    allowed = list(allowable_exit_codes)
    for code in allowed:
        assert isinstance(code, int), f'Provided exit code {code} is not an int'
    for action in resolveProcesses(
        proc_info, process=process, cmd_args=cmd_args,
        strict_proc_matching=strict_proc_matching,
    ):
        info = proc_info[action]
        assert info.returncode in allowed, \
            f'Proc {info.process_name} exited with code {info.returncode}'


def assertInStream(
    proc_output: Any, expected_output: Any, process: Any, cmd_args: Any = None, *,
    output_filter: Callable[[str], str] | None = None, strict_proc_matching: bool = True,
    strip_ansi_escape_sequences: bool = True, stream: str = 'stderr',
) -> None:
    """
    Assert that a process has written something to a stream.

    :param expected_output: Text, a compiled pattern, or a list of these in their order.
    :param process: An action, a part of a process name, or None for any process.
    """
    if stream not in ('stdout', 'stderr'):
        raise ValueError("Invalid value for stream; must be 'stdout' or 'stderr'")
    actions = resolveProcesses(
        proc_output, process=process, cmd_args=cmd_args,
        strict_proc_matching=strict_proc_matching)
    for action in actions:
        text = b''.join(
            event.text for event in proc_output[action]
            if (event.from_stdout if stream == 'stdout' else event.from_stderr)
        ).decode(errors='replace').replace('\r\n', '\n')
        if strip_ansi_escape_sequences:
            text = _ANSI_ESCAPE.sub('', text)
        if output_filter is not None:
            text = output_filter(text)
        if _occurs(expected_output, text):
            return
    names = ', '.join(sorted(action.process_details['name'] for action in actions))
    raise AssertionError(
        f"Did not find '{expected_output}' in output for any of the matching processes: {names}")


def assertInStdout(
    proc_output: Any, expected_output: Any, process: Any, cmd_args: Any = None, **kwargs: Any,
) -> None:
    """Assert that a process has written something to its standard output."""
    assertInStream(proc_output, expected_output, process, cmd_args, stream='stdout', **kwargs)


def assertInStderr(
    proc_output: Any, expected_output: Any, process: Any, cmd_args: Any = None, **kwargs: Any,
) -> None:
    """Assert that a process has written something to its standard error."""
    assertInStream(proc_output, expected_output, process, cmd_args, stream='stderr', **kwargs)


def _occurs(expected: Any, text: str) -> bool:
    """Return whether text, a pattern, or several of them one after the other occur."""
    position = 0
    single = isinstance(expected, str) or hasattr(expected, 'search')
    for item in [expected] if single else expected:
        pattern = re.compile(re.escape(item)) if isinstance(item, str) else item
        match = pattern.search(text, position)
        if match is None:
            return False
        position = match.end()
    return True


class SequentialTextChecker:
    """Asserts that texts occur one after the other."""

    def __init__(self, output: list[str]) -> None:
        self._text = ''.join(output)
        self._position = 0

    def assertInText(self, msg: str) -> None:
        found = self._text.find(msg, self._position)
        near = self._text[max(0, self._position - 80):self._position + 160]
        assert found >= 0, (
            f"'{msg}' not found in sequence after previous match.  "
            f'The output near the last matched line:\n{near}')
        self._position = found + len(msg)

    assertInStdout = assertInText  # noqa: N815


@contextmanager
def assertSequentialStdout(
    proc_output: Any, process: Any, cmd_args: Any = None,
) -> Iterator[SequentialTextChecker]:
    """Give a checker for the order of what one process has written."""
    (action,) = resolveProcesses(proc_output, process=process, cmd_args=cmd_args)
    yield SequentialTextChecker(
        [event.text.decode(errors='replace') for event in proc_output[action]])
