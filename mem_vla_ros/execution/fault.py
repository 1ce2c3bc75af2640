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

"""Input faults as values: refused, counted and shown, never raised."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """
    One refused input.

    :param name: Stable name in snake_case, such as ``stale_image``; diagnostics count by it.
    :param detail: What was wrong, what was got, what is allowed.
    :param source: Camera or joint that it came from; empty if there is none.
    """

    name: str
    detail: str
    source: str = ''

    def __str__(self) -> str:
        source = f' [{self.source}]' if self.source else ''
        return f'{self.name}{source}: {self.detail}'
