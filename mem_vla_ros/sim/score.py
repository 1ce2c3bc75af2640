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

"""Score: how far a task is, by the paper's rubric."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Score:
    """
    Points so far, and whether the episode is over.

    :param success: The whole task is done.
    :param failed: Nothing can make the episode a success any more.
    :param done: Success, failure or the end of the time.
    :param reason: Why it is done; empty before.
    :param details: What the points were given for.
    """

    points: float
    max_points: float
    success: bool
    failed: bool
    done: bool
    reason: str = ''
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)
