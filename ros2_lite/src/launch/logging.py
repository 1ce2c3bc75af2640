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

"""Loggers of the launch system: to the screen, and to files below the log directory."""

from __future__ import annotations

import datetime
import logging
import os
from pathlib import Path
import socket
import sys
from typing import TextIO

from .unsupported import missing_attribute

__getattr__ = missing_attribute(__name__)

DESTINATIONS = {'screen', 'log', 'own_log'}
OUTPUT_ALIASES = {
    'screen': {'both': {'screen'}},
    'log': {'both': {'log'}, 'stderr': {'screen'}},
    'both': {'both': {'log', 'screen'}},
    'own_log': {source: {'own_log'} for source in ('both', 'stdout', 'stderr')},
    'full': {
        'both': {'screen', 'log', 'own_log'}, 'stdout': {'own_log'}, 'stderr': {'own_log'}},
}


class _ScreenHandler(logging.StreamHandler):
    """Writes to the `sys.stdout` of the moment, which a test runner may exchange."""

    def __init__(self, template: str) -> None:
        logging.Handler.__init__(self)
        self.setFormatter(logging.Formatter(template, style='{'))

    @property
    def stream(self) -> TextIO:
        return sys.stdout


class LaunchConfig:
    """Where logs go, and from which level on."""

    def __init__(self) -> None:
        self.level = logging.INFO
        self._log_dir: str | None = None

    @property
    def log_dir(self) -> str:
        """The log directory of this process, made when first asked for."""
        if self._log_dir is None:
            home = os.environ.get('ROS_HOME') or '~/.ros'
            base = os.environ.get('ROS_LOG_DIR') or os.path.join(home, 'log')
            stamp = datetime.datetime.now().strftime('%Y-%m-%d-%H-%M-%S-%f')
            path = Path(base).expanduser() / f'{stamp}-{socket.gethostname()}-{os.getpid()}'
            path.mkdir(parents=True, exist_ok=True)
            self._log_dir = str(path)
        return self._log_dir


launch_config = LaunchConfig()
_loggers: dict[str, logging.Logger] = {}
_file_handlers: dict[tuple[str, str], logging.Handler] = {}


class _LevelFilter(logging.Filter):
    """Drops records below the level of the launch."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= launch_config.level


def _file_handler(file_name: str, template: str) -> logging.Handler:
    key = (file_name, template)
    if key not in _file_handlers:
        handler = logging.FileHandler(
            os.path.join(launch_config.log_dir, file_name), encoding='utf-8', delay=True)
        handler.setFormatter(logging.Formatter(template, style='{'))
        _file_handlers[key] = handler
    return _file_handlers[key]


def _logger(name: str, handlers: list[logging.Handler]) -> logging.Logger:
    # Not taken from logging.getLogger: the application's own logging stays as it is.
    logger = logging.Logger(name)
    logger.addFilter(_LevelFilter())
    logger.handlers = handlers
    return logger


def get_logger(name: str | None = None) -> logging.Logger:
    """Return the logger of this name, which writes to the screen and to launch.log."""
    key = name or 'root'
    if key not in _loggers:
        _loggers[key] = _logger(key, [
            _ScreenHandler('[{levelname}] [{name}]: {message}'),
            _file_handler('launch.log', '{created:.7f} [{levelname}] [{name}]: {message}'),
        ])
    return _loggers[key]


def _normalize_output(config: str | dict) -> dict[str, set[str]]:
    if isinstance(config, str):
        if config not in OUTPUT_ALIASES:
            raise ValueError(
                f'{config!r} is not a valid standard output config. '
                f'Allowed: {sorted(OUTPUT_ALIASES)}')
        return OUTPUT_ALIASES[config]
    normalized = {}
    for source, value in config.items():
        destinations = {value} if isinstance(value, str) else set(value)
        if source not in ('stdout', 'stderr', 'both') or destinations - DESTINATIONS:
            raise ValueError(
                f'{{{source!r}: {value!r}}} is not a valid output configuration. Allowed: '
                f"'stdout', 'stderr' or 'both' to {sorted(DESTINATIONS)}")
        normalized[source] = destinations
    return normalized


def get_output_loggers(
    process_name: str, output_config: str | dict,
) -> tuple[logging.Logger, logging.Logger]:
    """Return the loggers of a process for its stdout and its stderr."""
    config = _normalize_output(output_config)
    loggers = []
    for source in ('stdout', 'stderr'):
        own, both = config.get(source, set()), config.get('both', set())
        handlers: list[logging.Handler] = []
        if 'screen' in own | both:
            handlers.append(_ScreenHandler('{message}'))
        if 'log' in own | both:
            handlers.append(_file_handler('launch.log', '{created:.7f} {message}'))
        if 'own_log' in own:
            handlers.append(_file_handler(f'{process_name}-{source}.log', '{message}'))
        if 'own_log' in both:
            handlers.append(_file_handler(f'{process_name}.log', '{message}'))
        loggers.append(_logger(f'{process_name}-{source}', handlers))
    return loggers[0], loggers[1]
