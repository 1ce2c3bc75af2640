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

"""ChildProcess: one run of a command, with its output as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
import ctypes
import os
import pty
import signal
import sys
import tty

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == 'linux' else None


def _die_with(parent: int) -> Callable[[], None] | None:
    """Return what a new process runs so that it cannot outlive a killed launch."""
    if _libc is None:
        return None

    def bind() -> None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return bind


class ChildProcess:
    """
    A process in a session of its own.

    The terminal's Ctrl-C reaches only the launch, which passes it on once.

    :param on_output: Called with the file descriptor number (1 or 2) and the bytes.
    """

    def __init__(
        self, cmd: list[str], *, cwd: str | None, env: dict[str, str], shell: bool,
        emulate_tty: bool, on_output: Callable[[int, bytes], None],
    ) -> None:
        self._cmd = cmd
        self._cwd = cwd
        self._env = env
        self._shell = shell
        self._emulate_tty = emulate_tty
        self._on_output = on_output
        self._readers: dict[int, int] = {}
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        return self._process.pid

    async def start(self) -> None:
        """Start the command; raises OSError if it can't be run."""
        out_read, out_write = self._open_stream()
        err_read, err_write = self._open_stream()
        options = {
            'stdin': asyncio.subprocess.PIPE, 'stdout': out_write, 'stderr': err_write,
            'cwd': self._cwd, 'env': self._env, 'start_new_session': True,
            'preexec_fn': _die_with(os.getpid()),
        }
        try:
            if self._shell:
                self._process = await asyncio.create_subprocess_shell(
                    ' '.join(self._cmd), **options)
            else:
                self._process = await asyncio.create_subprocess_exec(*self._cmd, **options)
        except BaseException:
            os.close(out_read)
            os.close(err_read)
            raise
        finally:
            os.close(out_write)
            os.close(err_write)
        self._readers = {out_read: 1, err_read: 2}
        for descriptor in self._readers:
            asyncio.get_running_loop().add_reader(descriptor, self._read, descriptor)

    async def wait(self) -> int:
        """Wait for the end, pass on the last output and return the exit code."""
        try:
            returncode = await self._process.wait()
        except asyncio.CancelledError:
            self.send_signal(signal.SIGKILL)
            raise
        for descriptor in list(self._readers):
            while self._read(descriptor):
                pass
            self._close(descriptor)
        return returncode

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the process, with `shell` also to what the shell has started."""
        try:
            if self._shell and self._process.returncode is None:
                os.killpg(self.pid, number)
            else:
                self._process.send_signal(number)
        except ProcessLookupError:
            pass  # it has ended meanwhile

    def _open_stream(self) -> tuple[int, int]:
        if self._emulate_tty:
            read_end, write_end = pty.openpty()
            tty.setraw(write_end)
        else:
            read_end, write_end = os.pipe()
        os.set_blocking(read_end, False)
        return read_end, write_end

    def _read(self, descriptor: int) -> bool:
        """Pass on what can be read now; False if that is nothing."""
        if descriptor not in self._readers:
            return False
        try:
            data = os.read(descriptor, 65536)
        except BlockingIOError:
            return False
        except OSError:
            data = b''  # how a terminal tells the end
        if not data:
            self._close(descriptor)
            return False
        self._on_output(self._readers[descriptor], data)
        return True

    def _close(self, descriptor: int) -> None:
        if self._readers.pop(descriptor, None) is not None:
            asyncio.get_running_loop().remove_reader(descriptor)
            os.close(descriptor)
