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

"""A journal record as text for a person."""

from mem_vla_ros.core.text import escape_unsafe
from mem_vla_ros.memory.journal import JournalRecord
from mem_vla_ros.memory.word_diff import format_diff


def format_record(record: JournalRecord, full: bool = False) -> str:
    """
    Return a record on one to three lines: moment and status, subtask, memory.

    :param full: Show the memory as it is, not how it changed.
    """
    state = record.state
    lines = [
        f'{_minutes(state.stamp)}  step {state.step}  {state.status} by {state.source}'
        + (f'  ({state.error})' if state.error else '')]
    if state.subtask != state.previous_subtask:
        lines.append(f'    subtask: {state.subtask}')
    if state.memory != state.previous_memory:
        text = state.memory if full else format_diff(state.previous_memory, state.memory)
        lines.append(f'    memory {state.memory_version}: {text}')
    return escape_lines(lines)


def escape_lines(lines: list[str]) -> str:
    """Return the lines joined, each without anything that could steer a terminal."""
    return '\n'.join(escape_unsafe(line) for line in lines)


def _minutes(stamp: float) -> str:
    whole = int(stamp)
    return f'{whole // 60:4d}:{whole % 60:02d}'
