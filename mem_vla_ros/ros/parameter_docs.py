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

"""docs/parameters.md, written from the nodes' own lists."""

from importlib import import_module

from mem_vla_ros.ros.configurable_node import AUTOSTART
from mem_vla_ros.ros.parameters import ParameterSpec

NODES = (
    'high_level_policy', 'low_level_policy', 'action_executor', 'memory_inspector', 'sim_world',
    'bag_recorder', 'bag_player')
LIFECYCLE_NODES = (
    'high_level_policy', 'low_level_policy', 'action_executor', 'bag_recorder', 'bag_player')


def parameter_page() -> str:
    """Return the page as Markdown."""
    parts = [
        '# Parameters',
        '',
        'Written by `memvla docs` from the lists in `mem_vla_ros/ros/`; do not edit. Values are '
        'read once, at start. A value that is not allowed makes the node refuse to configure, '
        'with a message that names what is.',
    ]
    for name in NODES:
        specs = import_module(f'mem_vla_ros.ros.{name}').PARAMETERS
        if name in LIFECYCLE_NODES:
            specs = (AUTOSTART, *specs)
        parts += ['', f'## {name}', '', '| parameter | default | allowed | what it does |',
                  '|---|---|---|---|', *(_row(spec) for spec in specs)]
    return '\n'.join(parts) + '\n'


def _row(spec: ParameterSpec) -> str:
    default = 'empty' if spec.default == '' else f'`{spec.default}`'
    return f'| `{spec.name}` | {default} | {spec.allowed()} | {spec.description} |'
