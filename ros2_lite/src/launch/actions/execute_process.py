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

"""ExecuteProcess: runs a command, shows its output and ends it with the launch."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
import itertools
import os
import shlex
import signal
import traceback
from typing import Any

from ..action import Action
from ..child_process import ChildProcess
from ..conditions import evaluate_condition_expression
from ..event import Event
from ..event_handler import EventHandler
from ..event_handlers import OnProcessExit, OnShutdown, Response
from ..events.process import (
    ProcessExited,
    ProcessStarted,
    ProcessStderr,
    ProcessStdout,
    ShutdownProcess,
    SignalProcess,
)
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from ..logging import get_logger, get_output_loggers
from ..output_lines import OutputLines
from ..substitution import (
    normalize_to_list_of_substitutions,
    perform_substitutions,
    resolve,
    SomeSubstitutionsType,
)
from ..substitutions import LaunchConfiguration
from .opaque_function import OpaqueFunction

Environment = dict[SomeSubstitutionsType, SomeSubstitutionsType]
SIGTERM_TIMEOUT = LaunchConfiguration('sigterm_timeout', default=5)
SIGKILL_TIMEOUT = LaunchConfiguration('sigkill_timeout', default=5)
_process_numbers = itertools.count(1)


class ExecuteProcess(Action):
    """
    Runs a command when the launch comes to it.

    :param output: 'screen', 'log', 'both', 'own_log', 'full' or a dict of these by stream.
    :param on_exit: Entities, or a callable (event, context) which returns them.
    :param respawn: Start the process again when it ends, after `respawn_delay` seconds.
    :param respawn_max_retries: A negative number means without end.
    :param sigterm_timeout: Seconds from SIGINT until SIGTERM when the launch ends.
    :param sigkill_timeout: Seconds from SIGTERM until SIGKILL.
    """

    def __init__(
        self, *, cmd: Iterable[SomeSubstitutionsType], name: SomeSubstitutionsType | None = None,
        prefix: SomeSubstitutionsType | None = None, cwd: SomeSubstitutionsType | None = None,
        env: Environment | None = None, additional_env: Environment | None = None,
        shell: bool = False, output: SomeSubstitutionsType | dict = 'log',
        emulate_tty: bool = False, log_cmd: bool = False, on_exit: Response | None = None,
        respawn: bool | SomeSubstitutionsType = False, respawn_delay: float | None = None,
        respawn_max_retries: int = -1,
        sigterm_timeout: SomeSubstitutionsType = SIGTERM_TIMEOUT,
        sigkill_timeout: SomeSubstitutionsType = SIGKILL_TIMEOUT, **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.cmd = [normalize_to_list_of_substitutions(part) for part in cmd]
        self._name = name
        self._prefix = LaunchConfiguration('launch-prefix', default='') if prefix is None \
            else prefix
        self._cwd = cwd
        self._env = env
        self._additional_env = additional_env
        self._shell = shell
        self._output = os.environ.get('OVERRIDE_LAUNCH_PROCESS_OUTPUT', output)
        self._emulate_tty = emulate_tty
        self._log_cmd = log_cmd
        self._on_exit = on_exit
        self._respawn = respawn
        self._respawn_delay = respawn_delay
        self._respawns_left = respawn_max_retries
        self._sigterm_timeout = normalize_to_list_of_substitutions(sigterm_timeout)
        self._sigkill_timeout = normalize_to_list_of_substitutions(sigkill_timeout)
        self.process_details: dict[str, Any] | None = None
        self.return_code: int | None = None
        self._child: ChildProcess | None = None
        self._stopping = asyncio.Event()
        self._future: asyncio.Task[None] | None = None

    def get_asyncio_future(self) -> asyncio.Future[None] | None:
        return self._future

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        return self._on_exit if isinstance(self._on_exit, list) else []

    def execute(self, context: LaunchContext) -> None:
        if self.process_details is not None:
            name = self.process_details['name']
            raise RuntimeError(f"ExecuteLocal action '{name}': executed more than once")
        self._prepare(context)
        if context.is_shutdown:
            return
        self._register_event_handlers(context)
        self._future = context.asyncio_loop.create_task(self._run(context))

    def _prepare(self, context: LaunchContext) -> None:
        cmd = shlex.split(resolve(context, self._prefix)) + [
            perform_substitutions(context, part) for part in self.cmd]
        name = os.path.basename(cmd[0]) if self._name is None else resolve(context, self._name)
        name = f'{name}-{next(_process_numbers)}'
        env = dict(context.environment) if self._env is None else {}
        for extra in (self._env, self._additional_env):
            for key, value in (extra or {}).items():
                env[resolve(context, key)] = resolve(context, value)
        self.process_details = {
            'action': self, 'name': name, 'cmd': cmd, 'env': env,
            'cwd': None if self._cwd is None else resolve(context, self._cwd)}
        self._logger = get_logger(name)
        output = self._output
        if not isinstance(output, dict):
            output = resolve(context, output)
        self._lines = [
            OutputLines(logger, name) for logger in get_output_loggers(name, output)]
        self._respawn = self._is_true(context, self._respawn)
        self._emulate_tty = self._is_true(
            context, context.launch_configurations.get('emulate_tty', self._emulate_tty))

    @staticmethod
    def _is_true(context: LaunchContext, value: bool | SomeSubstitutionsType) -> bool:
        if isinstance(value, bool):
            return value
        return evaluate_condition_expression(context, normalize_to_list_of_substitutions(value))

    def _register_event_handlers(self, context: LaunchContext) -> None:
        def targeted(event_class: type, respond: Any) -> EventHandler:
            return EventHandler(
                matcher=lambda event: (
                    isinstance(event, event_class) and event.process_matcher(self)),
                entities=OpaqueFunction(
                    function=lambda context: respond(context.locals.event, context)))

        context.register_event_handler(targeted(ShutdownProcess, self._shut_down))
        context.register_event_handler(targeted(
            SignalProcess, lambda event, context: self._send_signal(event.signal)))
        context.register_event_handler(OnShutdown(on_shutdown=self._shut_down))
        if self._on_exit is not None:
            context.register_event_handler(
                OnProcessExit(target_action=self, on_exit=self._on_exit))

    async def _run(self, context: LaunchContext) -> None:
        while await self._run_once(context) and self._may_respawn(context):
            self._respawns_left -= 1
            try:
                await asyncio.wait_for(self._stopping.wait(), self._respawn_delay or 0.)
            except TimeoutError:
                continue
            return

    def _may_respawn(self, context: LaunchContext) -> bool:
        stopped = context.is_shutdown or self._stopping.is_set()
        return bool(self._respawn) and not stopped and self._respawns_left != 0

    async def _run_once(self, context: LaunchContext) -> bool:
        """Run the command to its end; False if it can't be started."""
        details = self.process_details
        shown_cmd = ' '.join(part for part in details['cmd'] if part.strip())
        if self._log_cmd:
            self._logger.info(
                "process details: cmd='%s', cwd='%s', custom_env?=True", shown_cmd,
                details['cwd'])
        child = ChildProcess(
            details['cmd'], cwd=details['cwd'], env=details['env'], shell=self._shell,
            emulate_tty=self._emulate_tty,
            on_output=lambda fd, data: self._on_output(context, fd, data))
        try:
            await child.start()
        except Exception:
            self._logger.error(
                'exception occurred while executing process:\n%s', traceback.format_exc())
            return False
        self._child = child
        details['pid'] = child.pid
        self._logger.info('process started with pid [%s]', child.pid)
        context.emit_event_sync(ProcessStarted(**details))
        escalation = context.asyncio_loop.create_task(self._escalate_when_stopping(context))
        self.return_code = await child.wait()
        escalation.cancel()
        self._child = None
        self._report_end(shown_cmd)
        context.emit_event_sync(ProcessExited(returncode=self.return_code, **details))
        return True

    def _on_output(self, context: LaunchContext, fd: int, data: bytes) -> None:
        self._lines[fd - 1].write(data)
        event_class = ProcessStdout if fd == 1 else ProcessStderr
        context.emit_event_sync(event_class(text=data, **self.process_details))

    def _report_end(self, shown_cmd: str) -> None:
        for lines in self._lines:
            lines.flush()
        pid = self.process_details['pid']
        if self.return_code == 0:
            self._logger.info('process has finished cleanly [pid %s]', pid)
        else:
            self._logger.error(
                "process has died [pid %s, exit code %s, cmd '%s'].", pid, self.return_code,
                shown_cmd)

    def _shut_down(self, event: Event, context: LaunchContext) -> None:
        self._stopping.set()

    async def _escalate_when_stopping(self, context: LaunchContext) -> None:
        """Send SIGINT, SIGTERM and SIGKILL, each after its time; canceled by the end."""
        await self._stopping.wait()
        self._send_signal(signal.SIGINT)
        sigterm_timeout = perform_substitutions(context, self._sigterm_timeout)
        sigkill_timeout = perform_substitutions(context, self._sigkill_timeout)
        await asyncio.sleep(float(sigterm_timeout))
        self._escalate(sigterm_timeout, signal.SIGINT, signal.SIGTERM)
        await asyncio.sleep(float(sigkill_timeout))
        total = float(sigterm_timeout) + float(sigkill_timeout)
        self._escalate(str(total), signal.SIGTERM, signal.SIGKILL)

    def _escalate(self, seconds: str, sent: signal.Signals, following: signal.Signals) -> None:
        self._logger.error(
            "process[%s] failed to terminate '%s' seconds after receiving '%s', "
            "escalating to '%s'", self.process_details['name'], seconds, sent.name,
            following.name)
        self._send_signal(following)

    def _send_signal(self, number: signal.Signals) -> None:
        if self._child is not None:
            self._logger.info(
                "sending signal '%s' to process[%s]", number.name, self.process_details['name'])
            self._child.send_signal(number)
