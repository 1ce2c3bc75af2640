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

"""LaunchService: visits launch descriptions and runs until all is done."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
import logging
import signal
import threading
import traceback

from .event import Event
from .events import IncludeLaunchDescription, Shutdown
from .launch_context import LaunchContext
from .launch_description import LaunchDescription
from .launch_description_entity import visit_all
from .logging import get_logger, launch_config

HANDLED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)


class LaunchService:
    """The event loop of a launch; it lives in the main thread."""

    def __init__(
        self, *, argv: Iterable[str] | None = None, noninteractive: bool = False,
        debug: bool = False,
    ) -> None:
        launch_config.level = logging.DEBUG if debug else logging.INFO
        self.context = LaunchContext(argv=argv, noninteractive=noninteractive)
        self._logger = get_logger('launch')
        self._lock = threading.Lock()
        self._early_events: list[Event] = []
        self._futures: list[asyncio.Future[None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task | None = None
        self._shutting_down = False
        self._interrupted = False
        self._return_code = 0

    @property
    def event_loop(self) -> asyncio.AbstractEventLoop | None:
        return self._loop

    @property
    def task(self) -> asyncio.Task | None:
        return self._task

    def include_launch_description(self, launch_description: LaunchDescription) -> None:
        """Have a launch description visited, from any thread."""
        self.emit_event(IncludeLaunchDescription(launch_description))

    def emit_event(self, event: Event) -> None:
        """Hand in an event, from any thread; before the run it is kept for later."""
        with self._lock:
            if self._loop is None:
                self._early_events.append(event)
            else:
                self._loop.call_soon_threadsafe(self.context.emit_event_sync, event)

    def shutdown(self, force_sync: bool = False) -> Coroutine | None:
        """End the launch, from any thread; does nothing if it does not run."""
        if self._loop is not None:
            self.emit_event(Shutdown(reason='LaunchService.shutdown() called'))
        return None

    def run(self, *, shutdown_when_idle: bool = True) -> int:
        """Run until all is done; return 0, or 1 if the launch itself had an error."""
        loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(
                self.run_async(shutdown_when_idle=shutdown_when_idle))
        finally:
            # Not empty only after an exception from outside, such as the timeout of a test.
            tasks = asyncio.all_tasks(loop)
            for task in tasks:
                task.cancel()
            if tasks:
                loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            loop.close()

    async def run_async(self, *, shutdown_when_idle: bool = True) -> int:
        """Do the same in the running loop of the main thread."""
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError('LaunchService can only be run in the main thread.')
        self._start()
        try:
            self._logger.info('All log files can be found below %s', launch_config.log_dir)
            self._logger.info(
                'Default logging verbosity is set to %s',
                logging.getLevelName(launch_config.level))
            while not self._is_done(shutdown_when_idle):
                await self._wait_and_process()
            return self._return_code
        finally:
            self._stop()

    def _start(self) -> None:
        with self._lock:
            if self._loop is not None:
                raise RuntimeError('LaunchService cannot be run multiple times concurrently.')
            self._loop = self.context.asyncio_loop = asyncio.get_running_loop()
            self._task = asyncio.current_task()
            self.context._event_queue = asyncio.Queue()
            for event in self._early_events:
                self.context.emit_event_sync(event)
            self._early_events.clear()
        self._former_handlers = {number: signal.getsignal(number) for number in HANDLED_SIGNALS}
        for number in HANDLED_SIGNALS:
            self._loop.add_signal_handler(number, self._on_signal, number)

    def _stop(self) -> None:
        for number, handler in self._former_handlers.items():
            self._loop.remove_signal_handler(number)
            signal.signal(number, handler)
        with self._lock:
            self._loop = self.context.asyncio_loop = None
            self._shutting_down = False

    def _is_done(self, shutdown_when_idle: bool) -> bool:
        self._futures = [future for future in self._futures if not future.done()]
        if self._futures or not self.context._event_queue.empty():
            return False
        if not self._shutting_down and shutdown_when_idle:
            self._begin_shutdown('idle')
            return False
        return self._shutting_down

    async def _wait_and_process(self) -> None:
        queue = self.context._event_queue
        if queue.empty():
            getter = asyncio.ensure_future(queue.get())
            await asyncio.wait([getter, *self._futures], return_when=asyncio.FIRST_COMPLETED)
            if not getter.done():
                getter.cancel()
                self._collect_errors()
                return
            event = getter.result()
        else:
            event = queue.get_nowait()
        self._collect_errors()
        try:
            self._process(event)
        except Exception as error:
            self._fail(error)

    def _collect_errors(self) -> None:
        for future in self._futures:
            if future.done() and not future.cancelled() and future.exception():
                self._fail(future.exception())

    def _process(self, event: Event) -> None:
        if isinstance(event, Shutdown):
            self._shutting_down = self.context.is_shutdown = True
        if isinstance(event, IncludeLaunchDescription):
            self._futures += visit_all(event.launch_description, self.context)
        for handler in self.context.matching_event_handlers(event):
            self.context.push_locals()
            try:
                self._futures += visit_all(handler.handle(event, self.context), self.context)
            finally:
                self.context.pop_locals()

    def _fail(self, error: BaseException) -> None:
        message = f'Caught exception in launch (see debug for traceback): {error}'
        self._logger.debug(''.join(traceback.format_exception(error)))
        self._logger.error(message)
        self._return_code = 1
        self._begin_shutdown(message)

    def _begin_shutdown(self, reason: str, due_to_sigint: bool = False) -> None:
        if not self._shutting_down:
            self._shutting_down = self.context.is_shutdown = True
            self.context.emit_event_sync(Shutdown(reason=reason, due_to_sigint=due_to_sigint))

    def _on_signal(self, number: signal.Signals) -> None:
        if number != signal.SIGINT:
            self._logger.error('user interrupted with ctrl-\\ (%s), terminating...', number.name)
            self._return_code = 1
            self._begin_shutdown(number.name)
        elif self._interrupted:
            self._logger.warning('user interrupted with ctrl-c (SIGINT) again, ignoring...')
        else:
            self._interrupted = True
            self._logger.warning('user interrupted with ctrl-c (SIGINT)')
            self._begin_shutdown('ctrl-c (SIGINT)', due_to_sigint=True)
