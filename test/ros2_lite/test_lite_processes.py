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

"""Processes under `ros2 launch`: output, events, respawn, signals and their end."""

from collections.abc import Callable
from pathlib import Path
import re
import signal
import subprocess
import time

import pytest

FILES = Path(__file__).parent / 'files'


@pytest.fixture(scope='module')
def outputs(run, tmp_path_factory) -> tuple[str, str]:
    """Return what the screen shows and what launch.log has."""
    directory = tmp_path_factory.mktemp('outputs')
    result = run('ros2', 'launch', FILES / 'outputs.launch.py', ROS_LOG_DIR=str(directory))
    assert result.returncode == 0
    (log,) = directory.glob('*/launch.log')
    return result.stdout, log.read_text()


@pytest.fixture(scope='module')
def events(run) -> list[str]:
    result = run('ros2', 'launch', FILES / 'events.launch.py')
    assert result.returncode == 0
    return result.stdout.splitlines()


def wait_for_lines(process: subprocess.Popen, text: str, count: int = 1) -> list[str]:
    """Return the lines with the text as soon as there are so many."""
    found = []
    for line in process.stdout:
        if text in line:
            found.append(line)
        if len(found) == count:
            return found
    raise AssertionError(f'only {found} before the end')


def is_alive(pid: int) -> bool:
    try:
        status = Path(f'/proc/{pid}/stat').read_text()
    except OSError:
        return False
    return status.rpartition(')')[2].split()[0] != 'Z'


def wait_until(condition: Callable[[], bool], timeout_s: float) -> bool:
    end = time.monotonic() + timeout_s
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def test_output_is_prefixed_line_by_line(outputs) -> None:
    lines = [line for line in outputs[0].splitlines() if line.startswith('[pieces-1]')]
    assert lines == ['[pieces-1] one line', '[pieces-1] no end ä']


def test_output_goes_where_it_is_configured(outputs) -> None:
    screen, log = outputs
    assert '[screen-2] to stdout' in screen
    assert '[screen-2] to stderr' in screen
    assert '[screen-2]' not in re.sub(r'\[INFO\].*', '', log)
    assert '[log-3] to stdout' not in screen
    assert '[log-3] to stderr' in screen
    assert '[log-3] to stdout' in log
    assert '[split-4] to stdout' in screen
    assert '[split-4] to stderr' not in screen
    assert '[split-4] to stderr' in log


def test_terminal_is_emulated_on_request(outputs) -> None:
    assert '[tty-5] terminal True True\n' in outputs[0]
    assert '[pipe-6] terminal False False\n' in outputs[0]


def test_shell_evaluates_the_command(outputs) -> None:
    assert '[shell-7] shell 2\n' in outputs[0]


def test_start_and_end_are_logged_in_the_words_of_launch(events) -> None:
    text = '\n'.join(events)
    assert re.search(r'\[INFO\] \[first-1\]: process started with pid \[\d+\]', text)
    assert re.search(r'\[INFO\] \[first-1\]: process has finished cleanly \[pid \d+\]', text)
    assert re.search(
        r"\[ERROR\] \[second-2\]: process has died \[pid \d+, exit code 3, cmd '.*'\]\.", text)


def test_event_handlers_act_in_order(events) -> None:
    said = [
        line for line in events
        if line.startswith(('[INFO] [launch.user]', '[first', '[waiting'))]
    assert said.index('[INFO] [launch.user]: first has started') < said.index(
        '[INFO] [launch.user]: first returned 0')
    assert said[-5:] == [
        '[INFO] [launch.user]: first returned 0',
        '[INFO] [launch.user]: second ended',
        '[waiting-3] waiting began',
        '[waiting-3] waiting was interrupted',
        '[INFO] [launch.user]: shutdown: waiting ended',
    ]
    assert '[INFO] [launch]: process[waiting-3] was required: shutting down launched system' \
        in events
    assert not any('this is not said' in line or 'canceled' in line for line in events)


def test_program_which_does_not_exist_is_reported(run, tmp_path) -> None:
    file = tmp_path / 'missing.launch.py'
    file.write_text(
        'from launch import LaunchDescription\n'
        'from launch.actions import ExecuteProcess\n'
        'def generate_launch_description():\n'
        '    return LaunchDescription([ExecuteProcess(cmd=["no_such_program"])])\n')
    result = run('ros2', 'launch', file)
    assert '[ERROR] [no_such_program-1]: exception occurred while executing process:' \
        in result.stdout
    assert "No such file or directory: 'no_such_program'" in result.stdout


def test_process_is_respawned_after_its_delay(run) -> None:
    result = run('ros2', 'launch', FILES / 'respawn.launch.py')
    times = [float(text) for text in re.findall(r'\[mortal-1\] ([\d.]+)', result.stdout)]
    assert len(times) == 3
    assert min(times[1] - times[0], times[2] - times[1]) >= 0.2
    assert result.stdout.count('process started with pid') == 3


def test_sigint_escalates_to_sigterm_and_sigkill(start) -> None:
    launch = start('ros2', 'launch', FILES / 'endings.launch.py')
    wait_for_lines(launch, 'ready', 3)
    launch.send_signal(signal.SIGINT)
    output, _ = launch.communicate(timeout=20)
    assert launch.returncode == 0
    assert '[WARNING] [launch]: user interrupted with ctrl-c (SIGINT)' in output
    assert '[sigint-1] ended by SIGINT' in output
    assert '[sigterm-2] ended by SIGTERM' in output
    assert (
        "[ERROR] [sigterm-2]: process[sigterm-2] failed to terminate '0.4' seconds after "
        "receiving 'SIGINT', escalating to 'SIGTERM'") in output
    assert (
        "[ERROR] [sigkill-3]: process[sigkill-3] failed to terminate '0.8' seconds after "
        "receiving 'SIGTERM', escalating to 'SIGKILL'") in output
    assert re.search(r'\[sigkill-3\]: process has died \[pid \d+, exit code -9,', output)


def test_interrupt_of_the_terminal_reaches_each_process_once(run, tmp_path) -> None:
    file = tmp_path / 'counting.launch.py'
    file.write_text(
        'import sys\n'
        'from launch import LaunchDescription\n'
        'from launch.actions import ExecuteProcess\n'
        'SCRIPT = """\n'
        'import os, signal, threading\n'
        'signal.signal(signal.SIGINT, lambda *_: print("interrupt"))\n'
        'signal.signal(signal.SIGTERM, lambda *_: os._exit(0))\n'
        'print("group of the launch", os.getpgid(os.getppid()) == os.getpgid(0))\n'
        'os.kill(os.getppid(), signal.SIGINT)\n'
        'while True: signal.pause()\n'
        '"""\n'
        'def generate_launch_description():\n'
        '    return LaunchDescription([ExecuteProcess(\n'
        '        cmd=[sys.executable, "-u", "-c", SCRIPT], name="counter", output="screen",\n'
        '        sigterm_timeout="0.5")])\n')
    result = run('ros2', 'launch', file)
    assert '[counter-1] group of the launch False' in result.stdout
    assert result.stdout.count('[counter-1] interrupt\n') == 1


@pytest.mark.parametrize(('number', 'code'), [(signal.SIGTERM, 1), (signal.SIGKILL, -9)])
def test_no_process_survives_a_killed_launch(start, number, code) -> None:
    launch = start(
        'ros2', 'launch', FILES / 'endings.launch.py', 'sigterm_timeout:=0.1',
        'sigkill_timeout:=0.1')
    pids = [int(line.split()[-1]) for line in wait_for_lines(launch, 'ready', 3)]
    assert all(is_alive(pid) for pid in pids)
    launch.send_signal(number)
    launch.communicate(timeout=20)
    assert launch.returncode == code
    assert wait_until(lambda: not any(is_alive(pid) for pid in pids), timeout_s=5)


def test_second_interrupt_is_ignored(start) -> None:
    launch = start('ros2', 'launch', FILES / 'endings.launch.py')
    wait_for_lines(launch, 'ready', 3)
    launch.send_signal(signal.SIGINT)
    wait_for_lines(launch, 'ctrl-c')
    launch.send_signal(signal.SIGINT)
    output, _ = launch.communicate(timeout=20)
    assert 'user interrupted with ctrl-c (SIGINT) again, ignoring...' in output
    assert launch.returncode == 0
